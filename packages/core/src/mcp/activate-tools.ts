import type { z } from 'zod';
import { type FetchResult, fetchTool } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/plan-request.ts';
import { findResourceRoute, unknownRoute } from '../call/resource-routes.ts';
import { type CheckResult, checkResult, type Finding, hasNoErrors, type Result } from '../schema/finding.ts';
import { inputsZodShape } from '../schema/input/input-zod.ts';
import { mcpToolName } from '../schema/references/tool-names.ts';
import { missingSecrets, resolveSchemas, type SchemaSource, schemaPrompts } from './expose-schemas.ts';
import { type ExposedSchema, type ExposedTool, exposeToolSet } from './exposed-tool.ts';
import { answerShaper } from './output-shape.ts';
import { putPrompts, putTools } from './register-schemas.ts';
import { isMcpServer, type McpServerLike } from './registrar.ts';
import { type ToolResult, toolResult } from './tool-result.ts';

export type { SchemaSource } from './expose-schemas.ts';

/** One tool of the schemas. */
export type ToolSource = SchemaSource & {
  /** Name of the tool. */
  routeName: string;
  /** Whether to refuse a schema with errors. Otherwise it is left out, with a warning. Default true. */
  validate?: boolean | undefined;
};

export type ActivateOptions = SchemaSource & {
  /** `McpServer` or `Server` of the MCP SDK, of either generation. */
  server: McpServerLike;
  /** Whether to refuse a schema with errors. Otherwise it is left out, with a warning. Default true. */
  validate?: boolean | undefined;
};

export interface ActivateResult extends CheckResult {
  /** Tool name on MCP to what the server registered. */
  mcpTools: Record<string, unknown>;
  /** Address or address template of a resource to what the server registered. */
  mcpResources: Record<string, unknown>;
  /** Name of a skill or a prompt on MCP to what the server registered. */
  mcpPrompts: Record<string, unknown>;
}

/**
 * Registers every tool of the schemas on an MCP server (specification 4.4), their resources and their prompts. A name that the
 * server has already gets a number, with the warning `REF005`.
 */
export function activateServerTools(options: ActivateOptions): ActivateResult {
  const { server } = options;
  const { schemas, findings } = resolveSchemas(options);
  if (!isMcpServer(server)) findings.push(noServer);
  if (!hasNoErrors(findings) || !isMcpServer(server)) {
    return { ...checkResult(findings), mcpTools: {}, mcpResources: {}, mcpPrompts: {} };
  }
  const serverParams = options.serverParams ?? {};
  const exposed = exposeToolSet(schemas, { serverParams });
  const { mcpTools, mcpResources, tools, findings: problems } = putTools(server, exposed.tools);
  findings.push(...exposed.findings, ...problems, ...missingSecrets(tools, serverParams));
  if (!hasNoErrors(problems)) return { ...checkResult(findings), mcpTools, mcpResources, mcpPrompts: {} };
  const prompts = putPrompts(server, schemaPrompts(schemas, tools));
  findings.push(...prompts.findings);
  return { ...checkResult(findings), mcpTools, mcpResources, mcpPrompts: prompts.mcpPrompts };
}

/** One tool on a server, and what the server registered. */
export type ActivatedTool = Result<{ toolName: string; mcpTool: unknown }, { toolName: null; mcpTool: null }>;

/** Registers one tool of a schema on an MCP server (specification 4.4). A query or a document is a tool and a resource. */
export function activateServerTool(options: ActivateOptions & { routeName: string }): ActivatedTool {
  const { server } = options;
  const { tool, findings, toolFindings } = findTool(options);
  if (!isMcpServer(server)) findings.push(noServer);
  if (!hasNoErrors(findings) || !isMcpServer(server) || tool === undefined) {
    return { ...checkResult(findings), status: false, toolName: null, mcpTool: null };
  }
  const { mcpTools, tools, findings: problems } = putTools(server, [tool]);
  findings.push(...toolFindings, ...problems, ...missingSecrets(tools, options.serverParams ?? {}));
  const [toolName] = Object.keys(mcpTools);
  const { status, ...checked } = checkResult(findings);
  return status && toolName !== undefined
    ? { ...checked, status, toolName, mcpTool: mcpTools[toolName] }
    : { ...checked, status: false, toolName: null, mcpTool: null };
}

/** What a prepared tool's `func` resolves to: the MCP result, and the outcome behind it. */
export type PreparedResult = ToolResult & Pick<FetchResult, 'status' | 'messages' | 'data' | 'dataAsString'>;

/** A tool's configuration for a server of any kind. `toolName` is its name on MCP. */
export type PreparedTool = Result<{ toolName: string } & ToolConfig, { toolName: null } & ToolConfig>;

interface ToolConfig {
  description: string;
  /** Zod schemas of the inputs by name, built when first read. */
  readonly zod: Record<string, z.ZodType>;
  /** Calls the tool. */
  func(params?: object): Promise<PreparedResult>;
}

/** Builds a tool's configuration without registering it (specification 4.4). */
export function prepareServerTool(options: ToolSource): PreparedTool {
  const { owner, tool, findings, toolFindings } = findTool(options);
  const serverParams = options.serverParams ?? {};
  findings.push(...toolFindings, ...missingSecrets(tool === undefined ? [] : [tool], serverParams));
  let zod: Record<string, z.ZodType> | undefined;
  const outputSchema = tool?.listing.outputSchema;
  const shape = outputSchema && answerShaper(outputSchema);
  const config: ToolConfig = {
    description: tool?.listing.description ?? '',
    get zod() {
      zod ??= inputsZodShape(tool?.inputs ?? []);
      return zod;
    },
    async func(userParams = {}) {
      const outcome =
        owner === undefined || tool === undefined
          ? { ...checkResult(findings), data: null, dataAsString: null }
          : await callPrepared({ owner, tool, serverParams }, userParams);
      const { status, messages, data, dataAsString } = outcome;
      return { ...toolResult(outcome, shape), status, messages, data, dataAsString };
    },
  };
  const toolName = tool?.listing.name;
  const { status, ...checked } = checkResult(findings);
  // Properties are added to `config`, whose getter a spread would read.
  return status && toolName !== undefined
    ? Object.assign(config, { ...checked, status, toolName })
    : Object.assign(config, { ...checked, status: false as const, toolName: null });
}

function callPrepared(
  { owner, tool, serverParams }: { owner: ExposedSchema; tool: ExposedTool; serverParams: SecretValues },
  userParams: object,
): Promise<FetchResult> {
  const { main, record } = owner;
  return fetchTool({ main, handlerMap: record.handlerMap, userParams, serverParams, routeName: tool.toolName });
}

interface FoundTool {
  /** The schema that has it: the first that does. */
  owner?: ExposedSchema;
  tool?: ExposedTool;
  findings: Finding[];
  /** Warnings about its name. */
  toolFindings: Finding[];
}

/** The tool, the query or the document that a name means, as it is named among those of all the schemas. */
function findTool(options: ToolSource): FoundTool {
  const { serverParams = {}, routeName } = options;
  const { schemas, findings } = resolveSchemas(options);
  if (!hasNoErrors(findings)) return { findings, toolFindings: [] };
  const names = new Map(schemas.map((schema) => [schema, canonicalName(schema, routeName)]));
  const owner = schemas.find((schema) => names.get(schema) !== undefined);
  if (owner === undefined) {
    const records = schemas.map(({ record }) => record);
    return { findings: [...findings, unknownRoute(routeName, records, 'schema')], toolFindings: [] };
  }
  const exposed = exposeToolSet(schemas, { serverParams });
  const tool = exposed.tools.find(({ toolName }) => toolName === names.get(owner));
  const name = tool && mcpToolName(tool.namespace, tool.toolName);
  const toolFindings = exposed.findings.filter(({ path }) => path === name);
  return { owner, ...(tool && { tool }), findings, toolFindings };
}

function canonicalName({ record }: ExposedSchema, routeName: string): string | undefined {
  return record.schema.tools.get(routeName)?.name ?? findResourceRoute(record, routeName)?.name;
}

const noServer: Finding = {
  code: 'ARG002',
  severity: 'error',
  path: 'server',
  message: 'server must be an McpServer or a Server of the MCP SDK',
};
