import { hooksOf } from '../load/attach-handlers.ts';
import { unknownKey } from '../load/create-handlers.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import { describeHandlers } from '../sandbox/handler-call.ts';
import { hookNames } from '../sandbox/hook-context.ts';
import { isSandboxed, type ToolHooks } from '../sandbox/run-hook.ts';
import type { Finding } from '../schema/finding.ts';
import { createInputCheck, type InputCheck } from '../schema/input/check-input.ts';
import { outputCheck } from '../schema/output/check-output.ts';
import type { Tool } from '../schema/schema.ts';
import { callFinding } from './call-finding.ts';
import { type NetworkGrant, networkGrant } from './outgoing-request.ts';
import type { SecretValues } from './plan-request.ts';
import { createVaults, type OpenVault, type SecretVault } from './secret-vault.ts';

/** A tool of a loaded schema, with what belongs to it beside the arguments of a call. */
export interface LoadedTool {
  record: SchemaRecord;
  tool: Tool;
  /** The schema's `main`, as its caller passed it. */
  main: unknown;
  handlerMap: HandlerMap;
  serverParams: SecretValues;
}

/** A tool with everything that a call of it needs. */
export interface CallableTool {
  tool: Tool;
  /** File of the schema, for messages. */
  file?: string | undefined;
  /** Names that must be set before anything is sent. */
  requiredServerParams: readonly string[];
  hooks: ToolHooks;
  network: NetworkGrant;
  /** What in an answer is not as `output.schema` says: warnings. */
  checkOutput(data: unknown): Finding[];
  openVault(serverParams: SecretValues): SecretVault;
}

const noHooks = Object.fromEntries(hookNames.map((hook) => [hook, null])) as ToolHooks;
const callables = new WeakMap<SchemaRecord, Map<string, CallableTool>>();

/** Prepares a tool of a loaded schema for calls, once unless the program passes hooks of its own. */
export async function callableTool({
  record,
  tool,
  handlerMap,
}: Pick<LoadedTool, 'record' | 'tool' | 'handlerMap'>): Promise<CallableTool> {
  const known = handlerMap === record.handlerMap ? callables.get(record)?.get(tool.name) : undefined;
  if (known) return known;
  const callable = makeCallable(record, tool, await findHooks(record, tool, handlerMap));
  if (handlerMap === record.handlerMap) {
    const tools = callables.get(record) ?? new Map<string, CallableTool>();
    callables.set(record, tools.set(tool.name, callable));
  }
  return callable;
}

function makeCallable({ schema, file, grants, approveRoot }: SchemaRecord, tool: Tool, hooks: ToolHooks): CallableTool {
  const { network: granted = [], secrets = [] } = grants;
  const requiredServerParams = serverParamsOf(schema, tool);
  // Hooks that the program passed in itself are its own code, and see what it sees.
  const hasHandlers = Object.values(hooks).some((hook) => hook !== null && isSandboxed(hook));
  const vaults = vaultKeeper(requiredServerParams, secrets);
  return {
    tool,
    file,
    requiredServerParams,
    hooks,
    network: networkGrant(schema.root, { granted, approveRoot }),
    checkOutput: tool.output?.schema ? outputCheck(tool.output.schema) : () => [],
    openVault: (serverParams) => vaults(serverParams)({ hasHandlers }),
  };
}

/** Makes the vaults of a set of server parameters once, as long as the values stay the same. */
function vaultKeeper(names: readonly string[], granted: readonly string[]): (serverParams: SecretValues) => OpenVault {
  let kept: { values: readonly (string | undefined)[]; vaults: OpenVault } | undefined;
  return (serverParams) => {
    if (kept && names.every((name, index) => serverParams[name] === kept?.values[index])) return kept.vaults;
    const values = names.map((name) => serverParams[name]);
    const declared = names.flatMap((name) =>
      serverParams[name] === undefined ? [] : [[name, String(serverParams[name])]],
    );
    const vaults = createVaults(Object.fromEntries(declared), granted);
    kept = { values, vaults };
    return vaults;
  };
}

async function findHooks(
  { program, schema, handlerKeys }: SchemaRecord,
  tool: Tool,
  handlerMap: HandlerMap,
): Promise<ToolHooks> {
  const own = Object.hasOwn(handlerMap, tool.name) ? handlerMap[tool.name] : undefined;
  if (own) return { ...noHooks, ...own };
  if (program === undefined) return noHooks;
  // The factory builds its map in a way that only running it can tell.
  const names = await describeHandlers(program);
  const keys = handlerKeys ?? [...schema.tools.keys()];
  const stranger = Object.keys(names).find((key) => !keys.includes(key) && !schema.resources.has(key));
  if (stranger !== undefined) {
    const { code, message, hint } = unknownKey(stranger, keys);
    throw Object.assign(new Error(message), { code, hint });
  }
  return hooksOf(program, tool.name, names[tool.name] ?? []);
}

/** Names of the server parameters that must be set before a tool is called. */
export function serverParamsOf(schema: SchemaRecord['schema'], tool: Tool): string[] {
  return [...new Set([...schema.requiredServerParams, ...tool.secrets])];
}

const inputChecks = new WeakMap<Tool, InputCheck>();

/** Checks the arguments of a call. */
export function checkInput(tool: Tool, params: unknown): ReturnType<InputCheck> {
  const check = inputChecks.get(tool) ?? createInputCheck(tool.inputs);
  inputChecks.set(tool, check);
  return check(params);
}

/** Findings for server parameters without which a tool cannot be called, or whose values cannot be sent. */
export function missingSecrets(
  { record, tool }: Pick<LoadedTool, 'record' | 'tool'>,
  serverParams: SecretValues,
): Finding[] {
  const names = serverParamsOf(record.schema, tool);
  const broken = names.filter((name) => /[\r\n\0]/.test(serverParams[name] ?? ''));
  const missing = names.filter((name) => (serverParams[name] ?? '') === '');
  return [
    ...broken.map((name) => {
      // It comes from careless copying; no header or URL can carry it.
      const hint = 'Remove the line break, which often stands at the end of a copied value.';
      const message = `Server parameter ${name} has a line break in it`;
      return callFinding('SECRET_INVALID', message, { path: tool.name, hint });
    }),
    ...missing.map((name) => {
      const hint = `Pass it in serverParams, or set ${name} in the environment of the server.`;
      return callFinding('SECRET_MISSING', `Required server parameter ${name} is not set`, { path: tool.name, hint });
    }),
  ];
}
