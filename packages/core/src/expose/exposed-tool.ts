import { fetchTool } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/plan-request.ts';
import { inputsJsonSchema } from '../format/input-json-schema.ts';
import type { JsonObject } from '../format/json.ts';
import { nameTools } from '../format/name-tools.ts';
import type { Input, Tool } from '../format/tool.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { outputJsonSchema } from './output-shape.ts';
import { resourceTools } from './resource-tools.ts';
import { type ToolOutcome, type ToolResult, toolResult } from './tool-result.ts';

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

/** What becomes an MCP tool: a tool of a schema, a query of a database, or a document. */
export interface ToolSource {
  namespace: string;
  toolName: string;
  file?: string;
  description: string;
  inputs: readonly Input[];
  outputSchema?: JsonObject | undefined;
  hints: Omit<ToolAnnotations, 'title'>;
  run(args: unknown, options: { signal?: AbortSignal | undefined }): Promise<ToolOutcome>;
}

/**
 * The MCP tools of schemas, in the order of the schemas: the tools of each, then the queries and documents of its resources.
 * Names are unique and do not depend on the order.
 */
export function exposeTools(
  schemas: readonly ExposedSchema[],
  { serverParams = {} }: { serverParams?: SecretValues } = {},
): ExposedTool[] {
  const sources = schemas.flatMap(({ main, record }) => [
    ...[...record.schema.tools.values()].map((tool) => schemaTool({ main, record }, tool, serverParams)),
    ...resourceTools(record),
  ]);
  return nameTools(sources).named.map(({ tool, names }) => exposeTool(tool, names.mcp));
}

function schemaTool({ main, record }: ExposedSchema, tool: Tool, serverParams: SecretValues): ToolSource {
  const { file, handlerMap, schema } = record;
  return {
    namespace: schema.namespace,
    toolName: tool.name,
    ...(file !== undefined && { file }),
    description: tool.description,
    inputs: tool.inputs,
    outputSchema: outputJsonSchema(tool.output?.schema),
    hints: hintsOf(tool.method),
    run: (userParams, { signal }) =>
      fetchTool({ main, handlerMap, userParams, serverParams, routeName: tool.name, ...(signal && { signal }) }),
  };
}

function exposeTool(source: ToolSource, name: string): ExposedTool {
  const { namespace, toolName, inputs, description, outputSchema, hints, run } = source;
  const title = titleOf(toolName);
  const listing: ToolListing = {
    name,
    title,
    description,
    inputSchema: inputsJsonSchema(inputs),
    ...(outputSchema && { outputSchema }),
    annotations: { title, ...hints },
  };
  return {
    listing,
    namespace,
    toolName,
    inputs,
    async call(args, { signal } = {}) {
      return toolResult(await run(args, { signal }), outputSchema);
    },
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
