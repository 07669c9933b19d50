import type { CallToolResult } from '@modelcontextprotocol/client';
import { type ExposedTool, exposeSchemas } from '@schemakit/core';
import type { AgentTool, ToolAnswer } from '../run/agent-tool.ts';
import type { Effect } from '../run/events.ts';
import type { SchemaSource } from './config.ts';

/** The tools of schemas for an agent. Core checks their arguments and masks their secrets. */
export function schemaTools({ schemas, serverParams = {} }: SchemaParts): ExposedTool[] {
  const values = Object.entries(serverParams).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return exposeSchemas(schemas, { serverParams: Object.fromEntries(values) });
}

type SchemaParts = Pick<SchemaSource, 'serverParams'> & { schemas: readonly unknown[] };

export function fromExposed(tool: ExposedTool, name: string): AgentTool {
  const { description, inputSchema, annotations } = tool.listing;
  return {
    name,
    description,
    inputSchema,
    // A repetition with the same key does nothing more.
    effect: effectOf(tool.idempotencyHeader === undefined ? annotations : { ...annotations, idempotentHint: true }),
    async call(args, { signal, maxLength, idempotencyKey }) {
      let whole: string | undefined;
      const result = await tool.call(args, {
        signal,
        maxLength,
        idempotencyKey,
        structured: 'both',
        keep(answer) {
          if ('text' in answer) whole = answer.text;
          return undefined;
        },
      });
      return { ...toAnswer(result), ...(whole !== undefined && { whole }) };
    },
  };
}

/** Whether a tool may destroy something: then an agent needs `allowDestructive`. */
export function isDestructive({ annotations }: { annotations?: { destructiveHint?: boolean | undefined } }): boolean {
  return annotations?.destructiveHint === true;
}

/** What calling a tool does, by its annotations (MCP specification, ToolAnnotations). */
export function effectOf({
  readOnlyHint,
  idempotentHint,
}: {
  readOnlyHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
} = {}): Effect {
  if (readOnlyHint === true) return 'read';
  return idempotentHint === true ? 'idempotent' : 'write';
}

/** The text of an MCP result. Other content is named: models get text only. */
export function toAnswer({ content, structuredContent, isError = false }: McpResult): ToolAnswer {
  const parts = content.flatMap((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource_link') return [];
    const { mimeType } = part.type === 'resource' ? part.resource : part;
    if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
    return `[${[part.type, mimeType].filter(Boolean).join(' ')}: not shown]`;
  });
  const text = parts.join('\n') || (structuredContent === undefined ? '' : JSON.stringify(structuredContent));
  return { text, isError };
}

type McpResult = Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>;
