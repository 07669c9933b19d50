import { fetchTool } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/plan-request.ts';
import { inputsJsonSchema } from '../format/input-json-schema.ts';
import type { JsonObject } from '../format/json.ts';
import type { Input, Tool } from '../format/tool.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { mcpToolName, uniqueNames } from './mcp-tool-name.ts';
import { outputJsonSchema } from './output-shape.ts';
import { type ToolResult, toolResult } from './tool-result.ts';

/** Hints for clients about what a tool does (MCP specification, ToolAnnotations). */
export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** How a tool appears in `tools/list`. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: ToolAnnotations;
}

/** A tool of a schema as an MCP server offers it. */
export interface ExposedTool {
  listing: ToolListing;
  namespace: string;
  toolName: string;
  inputs: readonly Input[];
  /** Calls the tool with a client's arguments. Never throws: a failed call is a result with `isError`. */
  call(args: unknown, options?: { signal?: AbortSignal | undefined }): Promise<ToolResult>;
}

/** A loaded schema as a table of tools needs it. */
export interface ExposedSchema {
  main: Record<string, unknown>;
  record: SchemaRecord;
}

/** The MCP tools of schemas, in the order of the schemas and of the tools in them; names are unique and do not depend on chance. */
export function exposeTools(
  schemas: readonly ExposedSchema[],
  { serverParams = {} }: { serverParams?: SecretValues } = {},
): ExposedTool[] {
  const all = schemas.flatMap((schema) => [...schema.record.schema.tools.values()].map((tool) => ({ schema, tool })));
  const names = uniqueNames(
    all.map(({ schema, tool }) => {
      const { namespace } = schema.record.schema;
      const name = mcpToolName(namespace, tool.name);
      return { name, isExact: name === `${namespace}__${tool.name}` };
    }),
  );
  return all.map(({ schema, tool }, index) => exposeTool(schema, tool, { name: names[index] ?? '', serverParams }));
}

function exposeTool(
  { main, record }: ExposedSchema,
  tool: Tool,
  { name, serverParams }: { name: string; serverParams: SecretValues },
): ExposedTool {
  const { namespace } = record.schema;
  const listing = toolListing(tool, name);
  return {
    listing,
    namespace,
    toolName: tool.name,
    inputs: tool.inputs,
    async call(args, { signal } = {}) {
      const outcome = await fetchTool({
        main,
        handlerMap: record.handlerMap,
        userParams: args,
        serverParams,
        routeName: tool.name,
        ...(signal && { signal }),
      });
      return toolResult(outcome, listing.outputSchema);
    },
  };
}

function toolListing(tool: Tool, name: string): ToolListing {
  const outputSchema = outputJsonSchema(tool.output?.schema);
  const title = titleOf(tool.name);
  return {
    name,
    title,
    description: tool.description,
    inputSchema: inputsJsonSchema(tool.inputs),
    ...(outputSchema && { outputSchema }),
    annotations: { title, ...hintsOf(tool.method) },
  };
}

/** What the method promises (RFC 9110, 9.2). POST promises nothing, and rarely destroys. */
function hintsOf(method: string): Omit<ToolAnnotations, 'title'> {
  const readOnlyHint = method === 'GET' || method === 'HEAD';
  return {
    readOnlyHint,
    destructiveHint: method === 'DELETE' || method === 'PUT' || method === 'PATCH',
    idempotentHint: readOnlyHint || method === 'PUT' || method === 'DELETE',
    openWorldHint: true,
  };
}

function titleOf(toolName: string): string {
  const words = toolName
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim();
  return words === '' ? toolName : words.charAt(0).toUpperCase() + words.slice(1);
}
