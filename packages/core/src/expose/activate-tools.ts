import type { z } from 'zod';
import { type FetchResult, fetchTool } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/plan-request.ts';
import { type Finding, hasNoErrors } from '../format/finding.ts';
import { inputsZodShape } from '../format/input-zod.ts';
import { isObject } from '../format/json.ts';
import { mainOf } from '../format/main-of.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import { type ExposedSchema, exposeTools } from './exposed-tool.ts';
import { isMcpServer, registerTools } from './register-tools.ts';
import { type ToolResult, toolResult } from './tool-result.ts';

/** Which schema or schemas to work with. */
export interface SchemaSource {
  /** What `loadSchema` returned, or its `main`. */
  schema?: unknown;
  /** The same as `schema`. */
  main?: unknown;
  /** Several of them. */
  schemas?: readonly unknown[];
  /** Hooks by tool. Default: those that were loaded with the schema. */
  handlerMap?: HandlerMap;
  /** Values of the server parameters by name. */
  serverParams?: SecretValues;
}

export interface ActivateOptions extends SchemaSource {
  /** `McpServer` or `Server` of the MCP SDK, of either generation. */
  server: unknown;
  /** Whether to refuse a schema with errors. Default true. */
  validate?: boolean;
}

export interface ActivateResult {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Tool name on MCP to what the server registered. */
  mcpTools: Record<string, unknown>;
}

/** Registers every tool of the schemas on an MCP server (specification 4.4). */
export function activateServerTools(options: ActivateOptions): ActivateResult {
  const { server, serverParams = {} } = options;
  const { schemas, findings } = resolveSchemas(options);
  if (!isMcpServer(server)) findings.push(noServer);
  if (!hasNoErrors(findings) || !isMcpServer(server)) return { ...report(findings), mcpTools: {} };
  return { ...report(findings), mcpTools: registerTools(server, exposeTools(schemas, { serverParams })) };
}

/** Registers one tool of a schema on an MCP server (specification 4.4). */
export function activateServerTool(
  options: ActivateOptions & { routeName: string },
): Omit<ActivateResult, 'mcpTools'> & { toolName: string | null; mcpTool: unknown } {
  const { server, serverParams = {}, routeName } = options;
  const { schemas, findings } = resolveSchemas(options);
  if (!isMcpServer(server)) findings.push(noServer);
  const tool = exposeTools(schemas, { serverParams }).find(({ toolName }) => toolName === routeName);
  if (hasNoErrors(findings) && tool === undefined) findings.push(noRoute(routeName, schemas));
  if (!hasNoErrors(findings) || !isMcpServer(server) || tool === undefined) {
    return { ...report(findings), toolName: null, mcpTool: null };
  }
  const mcpTools = registerTools(server, [tool]);
  return { ...report(findings), toolName: tool.listing.name, mcpTool: mcpTools[tool.listing.name] };
}

/** What a prepared tool's `func` resolves to: the MCP result, and the outcome behind it. */
export type PreparedResult = ToolResult & Pick<FetchResult, 'status' | 'messages' | 'data' | 'dataAsString'>;

export interface PreparedTool {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Name on MCP; null where the tool could not be prepared. */
  toolName: string | null;
  description: string;
  /** Zod schemas of the inputs by name, built when first read. */
  readonly zod: Record<string, z.ZodType>;
  /** Calls the tool. */
  func(params?: unknown): Promise<PreparedResult>;
}

/** Builds a tool's configuration without registering it (specification 4.4). */
export function prepareServerTool(options: SchemaSource & { routeName: string; validate?: boolean }): PreparedTool {
  const { serverParams = {}, routeName } = options;
  const { schemas, findings } = resolveSchemas(options);
  const exposed = exposeTools(schemas, { serverParams }).find(({ toolName }) => toolName === routeName);
  if (hasNoErrors(findings) && exposed === undefined) findings.push(noRoute(routeName, schemas));
  const [first] = schemas;
  let shape: Record<string, z.ZodType> | undefined;
  return {
    ...report(findings),
    toolName: exposed?.listing.name ?? null,
    description: exposed?.listing.description ?? '',
    get zod() {
      shape ??= inputsZodShape(exposed?.inputs ?? []);
      return shape;
    },
    async func(userParams = {}) {
      const main = first?.main ?? null;
      const handlerMap = first?.record.handlerMap ?? {};
      const outcome = await fetchTool({ main, handlerMap, userParams, serverParams, routeName });
      const { status, messages, data, dataAsString } = outcome;
      return { ...toolResult(outcome, exposed?.listing.outputSchema), status, messages, data, dataAsString };
    },
  };
}

function resolveSchemas(options: SchemaSource & { validate?: boolean }): {
  schemas: ExposedSchema[];
  findings: Finding[];
} {
  const { schema, main, schemas, handlerMap, validate = true } = options;
  const given = [
    ...(Array.isArray(schemas) ? schemas : []),
    ...[main ?? schema].filter((value) => value !== undefined),
  ];
  const findings: Finding[] = [];
  if (given.length === 0) findings.push(noSchema);
  const resolved = given.flatMap((value): ExposedSchema[] => {
    const result = resolveRecord(value);
    if (result.record === undefined) {
      if (validate) findings.push(...result.findings);
      return [];
    }
    const plain = mainOf(value);
    const record: SchemaRecord = handlerMap ? { ...result.record, handlerMap } : result.record;
    return isObject(plain) ? [{ main: plain, record }] : [];
  });
  return { schemas: resolved, findings };
}

const noServer: Finding = {
  code: 'ARG002',
  severity: 'error',
  path: 'server',
  message: 'server must be an McpServer or a Server of the MCP SDK',
};

const noSchema: Finding = {
  code: 'ARG003',
  severity: 'error',
  path: 'schema',
  message: 'schema or schemas is required',
  hint: 'Pass what SchemaKit.loadSchema({ filePath }) returned.',
};

function noRoute(routeName: unknown, schemas: readonly ExposedSchema[]): Finding {
  const names = schemas.flatMap(({ record }) => [...record.schema.tools.keys()]);
  return {
    code: 'TOOL_UNKNOWN',
    severity: 'error',
    path: 'routeName',
    message: `Route "${String(routeName)}" not found in schema`,
    hint: `The tools are: ${names.join(', ') || 'none'}.`,
  };
}

function report(findings: Finding[]): { status: boolean; messages: string[]; findings: Finding[] } {
  return { status: hasNoErrors(findings), messages: findings.map(({ message }) => message), findings };
}
