import type { z } from 'zod';
import { type FetchResult, fetchTool } from '../call/fetch-tool.ts';
import { findResourceRoute, unknownRoute } from '../call/resource-routes.ts';
import { type CheckResult, checkResult, type Finding, hasNoErrors, type Result } from '../schema/finding.ts';
import { inputsZodShape } from '../schema/input/input-zod.ts';
import { mcpToolName } from '../schema/references/tool-names.ts';
import { missingSecrets, resolveSchemas, type SchemaSource, schemaPrompts } from './expose-schemas.ts';
import { createMcpTools, type ExposedTool, type RecordedSchema } from './mcp-tools.ts';
import { registerPrompts, registerTools } from './register-schemas.ts';
import { isMcpServer, type McpServerLike } from './registrar.ts';
import { answerShaper, type ToolResult, toolResult } from './tool-result.ts';

type CheckedSource = SchemaSource & {
  /** Whether to refuse schemas with errors. Otherwise they are left out with a warning. Default true. */
  validate?: boolean | undefined;
};

export type ToolSource = CheckedSource & { routeName: string };

/** `server`: `McpServer` or `Server` of the MCP SDK, of either generation. */
export type ActivateOptions = CheckedSource & { server: McpServerLike };

export interface ActivateResult extends CheckResult {
  /** The objects that the server returned, by the name of the tool on MCP. */
  mcpTools: Record<string, unknown>;
  /** The objects that the server returned, by the URI or URI template of the resource. */
  mcpResources: Record<string, unknown>;
  /** The objects that the server returned, by the name of the skill or prompt on MCP. */
  mcpPrompts: Record<string, unknown>;
}

/** Registers all tools, resources and prompts on an MCP server. A name that is taken gets a number, with the warning `REF005`. */
export function activateServerTools(options: ActivateOptions): ActivateResult {
  const { server } = options;
  const { schemas, findings } = resolveSchemas(options);
  if (!isMcpServer(server)) findings.push(noServer);
  if (!hasNoErrors(findings) || !isMcpServer(server)) {
    return { ...checkResult(findings), mcpTools: {}, mcpResources: {}, mcpPrompts: {} };
  }
  const serverParams = options.serverParams ?? {};
  const exposed = createMcpTools(schemas, { serverParams });
  const { mcpTools, mcpResources, tools, findings: problems } = registerTools(server, exposed.tools);
  findings.push(...exposed.findings, ...problems, ...missingSecrets(tools, serverParams));
  if (!hasNoErrors(problems)) return { ...checkResult(findings), mcpTools, mcpResources, mcpPrompts: {} };
  const prompts = registerPrompts(server, schemaPrompts(schemas, tools));
  findings.push(...prompts.findings);
  return { ...checkResult(findings), mcpTools, mcpResources, mcpPrompts: prompts.mcpPrompts };
}

export type ActivatedTool = Result<{ toolName: string; mcpTool: unknown }, { toolName: null; mcpTool: null }>;

/** Registers one tool of a schema on an MCP server. A query or a document becomes a tool and a resource. */
export function activateServerTool(options: ActivateOptions & { routeName: string }): ActivatedTool {
  const { server } = options;
  const { tool, findings, toolFindings } = findTool(options);
  if (!isMcpServer(server)) findings.push(noServer);
  if (!hasNoErrors(findings) || !isMcpServer(server) || tool === undefined) {
    return { ...checkResult(findings), status: false, toolName: null, mcpTool: null };
  }
  const { mcpTools, tools, findings: problems } = registerTools(server, [tool]);
  findings.push(...toolFindings, ...problems, ...missingSecrets(tools, options.serverParams ?? {}));
  const [toolName] = Object.keys(mcpTools);
  const { status, ...checked } = checkResult(findings);
  return status && toolName !== undefined
    ? { ...checked, status, toolName, mcpTool: mcpTools[toolName] }
    : { ...checked, status: false, toolName: null, mcpTool: null };
}

/** The result of a prepared tool's `func`: the MCP result and the outcome of the call. */
export type PreparedResult = ToolResult & Pick<FetchResult, 'status' | 'messages' | 'data' | 'dataAsString'>;

/** A tool's configuration for a server of any kind. `toolName` is its name on MCP. */
export type PreparedTool = Result<{ toolName: string } & ToolConfig, { toolName: null } & ToolConfig>;

interface ToolConfig {
  description: string;
  /** Zod schemas of the inputs by name, built when first read. */
  readonly zod: Record<string, z.ZodType>;
  func(params?: object): Promise<PreparedResult>;
}

/** Builds a tool's configuration without registering it. */
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
          : await fetchTool({
              main: owner.main,
              handlerMap: owner.record.handlerMap,
              userParams,
              serverParams,
              routeName: tool.toolName,
            });
      const { status, messages, data, dataAsString } = outcome;
      return { ...toolResult(outcome, shape), status, messages, data, dataAsString };
    },
  };
  const toolName = tool?.listing.name;
  const { status, ...checked } = checkResult(findings);
  // A spread would evaluate the getter of `config`.
  return status && toolName !== undefined
    ? Object.assign(config, { ...checked, status, toolName })
    : Object.assign(config, { ...checked, status: false as const, toolName: null });
}

/** Finds a tool, a query or a document by its name, in the first schema that has it. `toolFindings` are about its name. */
function findTool(options: ToolSource): {
  owner?: RecordedSchema;
  tool?: ExposedTool;
  findings: Finding[];
  toolFindings: Finding[];
} {
  const { serverParams = {}, routeName } = options;
  const { schemas, findings } = resolveSchemas(options);
  if (!hasNoErrors(findings)) return { findings, toolFindings: [] };
  // What was left out had the one tool.
  if (schemas.length === 0)
    return { findings: findings.map((finding) => ({ ...finding, severity: 'error' })), toolFindings: [] };
  const names = new Map(schemas.map((schema) => [schema, canonicalName(schema, routeName)]));
  const owner = schemas.find((schema) => names.get(schema) !== undefined);
  if (owner === undefined) {
    const records = schemas.map(({ record }) => record);
    return { findings: [...findings, unknownRoute(routeName, records, 'schema')], toolFindings: [] };
  }
  const exposed = createMcpTools(schemas, { serverParams });
  const tool = exposed.tools.find(({ toolName }) => toolName === names.get(owner));
  const name = tool && mcpToolName(tool.namespace, tool.toolName);
  const toolFindings = exposed.findings.filter(({ path }) => path === name);
  return { owner, ...(tool && { tool }), findings, toolFindings };
}

function canonicalName({ record }: RecordedSchema, routeName: string): string | undefined {
  return record.schema.tools.get(routeName)?.name ?? findResourceRoute(record, routeName)?.name;
}

const noServer: Finding = {
  code: 'ARG002',
  severity: 'error',
  path: 'server',
  message: 'server must be an McpServer or a Server of the MCP SDK',
};
