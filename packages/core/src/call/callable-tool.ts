import { hooksOf } from '../load/attach-handlers.ts';
import { unknownKey } from '../load/create-handlers.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import { describeHandlers } from '../sandbox/handler-call.ts';
import { hookNames } from '../sandbox/hook-context.ts';
import { isSandboxed, type ToolHooks } from '../sandbox/run-hook.ts';
import type { Finding } from '../schema/finding.ts';
import { createInputCheck, type InputCheck } from '../schema/input/check-input.ts';
import { isObject } from '../schema/json.ts';
import { outputCheck } from '../schema/output/check-output.ts';
import { secretsIn } from '../schema/rules/own-secrets.ts';
import type { Tool } from '../schema/schema.ts';
import { templateText } from '../schema/template.ts';
import type { CallContext } from './call-context.ts';
import { callFinding } from './call-findings.ts';
import { type FoundCredentials, findCredentials } from './find-credentials.ts';
import { planRequest } from './plan-request.ts';
import type { SecretValues } from './request/template-value.ts';
import { createVaults, type OpenVault, type SecretVault } from './secret-vault.ts';
import { sendFinding } from './send-grants.ts';
import { type NetworkGrant, networkGrant } from './send-request.ts';
import { type Sign, signRequest } from './sign-request.ts';

/** A tool of a loaded schema with everything that a call needs except its arguments. */
export interface LoadedTool {
  record: SchemaRecord;
  tool: Tool;
  /** The schema's `main` as the caller passed it. */
  main: unknown;
  handlerMap: HandlerMap;
  serverParams: SecretValues;
}

export interface CallableTool {
  tool: Tool;
  /** File of the schema, for messages. */
  file?: string | undefined;
  /** Names of the server parameters that must be set before anything is sent. */
  requiredServerParams: readonly string[];
  hooks: ToolHooks;
  network: NetworkGrant;
  /** Warnings for an answer that does not match `output.schema`. */
  checkOutput(data: unknown): Finding[];
  /** `credentials` are computed values, by the names that stand for them in the plan. */
  openVault(serverParams: SecretValues, credentials?: SecretValues): SecretVault;
  /** The values of computed credentials. */
  findCredentials(serverParams: SecretValues, context: CallContext): Promise<FoundCredentials>;
  /** Signs the requests to the root; absent if they are not signed. */
  sign?(serverParams: SecretValues): Sign;
}

const noHooks = Object.fromEntries(hookNames.map((hook) => [hook, null])) as ToolHooks;
const callables = new WeakMap<SchemaRecord, Map<string, CallableTool>>();

type CallableParts = Pick<LoadedTool, 'record' | 'tool' | 'handlerMap'>;

/** A tool that was prepared before, unless the program passes its own hooks. */
export function knownCallable({ record, tool, handlerMap }: CallableParts): CallableTool | undefined {
  return handlerMap === record.handlerMap ? callables.get(record)?.get(tool.name) : undefined;
}

export async function prepareCallable({ record, tool, handlerMap }: CallableParts): Promise<CallableTool> {
  const callable = makeCallable(record, tool, await findHooks(record, tool, handlerMap));
  if (handlerMap === record.handlerMap) {
    const tools = callables.get(record) ?? new Map<string, CallableTool>();
    callables.set(record, tools.set(tool.name, callable));
  }
  return callable;
}

function makeCallable(record: SchemaRecord, tool: Tool, hooks: ToolHooks): CallableTool {
  const { schema, file, grants, approveRoot } = record;
  const { network: granted = [], secrets = [] } = grants;
  const requiredServerParams = serverParamsOf(schema, tool);
  // Hooks that the program itself passes are trusted and see the values of secrets.
  const hasHandlers = Object.values(hooks).some((hook) => hook !== null && isSandboxed(hook));
  const { credentials, signature } = tool;
  const names = [...requiredServerParams, ...(credentials ? [credentials.name] : [])];
  const vaults = cachedVaults(names, { granted: secrets, hidden: schema.ownSecrets });
  const network = networkGrant(schema.root, { granted, approveRoot });
  const tokenUrl = schema.tokenEndpoint?.url ?? '';
  return {
    tool,
    file,
    requiredServerParams,
    hooks,
    network: {
      ...network,
      isSigned: signature !== undefined,
      ...(!approveRoot && { unsendable: (url) => sendFinding(record, requiredServerParams, url) }),
    },
    checkOutput: tool.output?.schema ? outputCheck(tool.output.schema) : () => [],
    openVault: (serverParams, computed) => vaults({ ...serverParams, ...computed })({ hasHandlers }),
    findCredentials(serverParams, context) {
      const { policy } = networkGrant(tokenUrl, { granted, approveRoot });
      return findCredentials(credentials, { serverParams, policy, context });
    },
    ...(signature && {
      sign: (serverParams) => (request) =>
        network.isRoot(request.url) ? signRequest(request, signature, serverParams) : {},
    }),
  };
}

/** Creates new vaults only when the values of the server parameters have changed. */
function cachedVaults(
  names: readonly string[],
  visibility: Parameters<typeof createVaults>[1],
): (serverParams: SecretValues) => OpenVault {
  let latest: { values: readonly (string | undefined)[]; vaults: OpenVault } | undefined;
  return (serverParams) => {
    if (latest && names.every((name, index) => serverParams[name] === latest?.values[index])) return latest.vaults;
    const values = names.map((name) => serverParams[name]);
    const declared = names.flatMap((name, index) =>
      values[index] === undefined ? [] : [[name, String(values[index])]],
    );
    const vaults = createVaults(Object.fromEntries(declared), visibility);
    latest = { values, vaults };
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
  // The names of the hooks are known only after the factory has run.
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

export function checkInput(tool: Tool, params: unknown): ReturnType<InputCheck> {
  const check = inputChecks.get(tool) ?? createInputCheck(tool.inputs);
  inputChecks.set(tool, check);
  const checked = check(params);
  if (checked.ok || !isObject(params)) return checked;
  // Values for the path are checked when the request is planned, which must not hide their problems until the next call.
  const known = new Set(checked.findings.map(({ path }) => path));
  const texts = Object.entries(params).filter(([name, value]) => typeof value === 'string' && !known.has(name));
  const planned = planRequest(tool, Object.fromEntries(texts) as Record<string, string>, {});
  return planned.ok ? checked : { ok: false, findings: [...checked.findings, ...planned.findings] };
}

/** Keys of a signature by their encoding; base64 also with the characters for URLs, and without its padding. */
const keyPatterns = { utf8: /^/, hex: /^(?:[\da-f]{2})+$/i, base64: /^[\w+/-]{2,}={0,2}$/ } as const;

/** Findings for server parameters that are missing, whose values cannot be sent, or that the schema may not send. */
export function checkServerParams(
  { record, tool }: Pick<LoadedTool, 'record' | 'tool'>,
  serverParams: SecretValues,
): Finding[] {
  const names = serverParamsOf(record.schema, tool);
  const broken = names.filter((name) => /[\r\n\0]/.test(serverParams[name] ?? ''));
  const missing = names.filter((name) => (serverParams[name] ?? '') === '');
  const inCookies = tool.placements.flatMap(({ location, value }) => (location === 'cookie' ? value : []));
  const unfit = names.filter(
    (name) =>
      inCookies.some((part) => part.kind === 'secret' && part.name === name) &&
      /[^!#-+\--:<-[\]-~]/.test(serverParams[name] ?? ''),
  );
  // RFC 7617, 2: the first colon ends the user name.
  const username = tool.credentials?.type === 'basic' ? secretsIn([tool.credentials.username]) : [];
  const split = username.filter((name) => (serverParams[name] ?? '').includes(':'));
  const { secret = [], secretEncoding = 'utf8' } = tool.signature ?? {};
  // Node would sign with what it can read of the key, which may be nothing.
  const key = templateText(secret, (name) => serverParams[name] ?? '');
  const unread = keyPatterns[secretEncoding].test(key) ? [] : secretsIn([secret]);
  const ungranted = sendFinding(record, names);
  return [
    ...broken.map((name) => {
      const hint = 'Remove the line break. Copied values often end with one.';
      const message = `Server parameter ${name} contains a line break`;
      return callFinding('SECRET_INVALID', message, { path: tool.name, hint });
    }),
    ...unfit.map((name) => {
      const hint = 'Percent-encode spaces, quotes, commas, semicolons and backslashes, if the API decodes them.';
      const message = `Server parameter ${name} contains characters that a cookie cannot have`;
      return callFinding('SECRET_INVALID', message, { path: tool.name, hint });
    }),
    ...split.map((name) => {
      const hint = 'Set the user name alone; the password has a server parameter of its own.';
      const message = `Server parameter ${name} contains a colon, which a user name cannot have`;
      return callFinding('SECRET_INVALID', message, { path: tool.name, hint });
    }),
    ...unread
      .filter((name) => !missing.includes(name))
      .map((name) => {
        const hint = 'Set the key as the API shows it, or change secretEncoding of main.signature.';
        const message = `Server parameter ${name} is not ${secretEncoding}, which main.signature expects`;
        return callFinding('SECRET_INVALID', message, { path: tool.name, hint });
      }),
    ...missing.map((name) => {
      const hint = `Pass it in serverParams, or set ${name} in the environment of the server.`;
      return callFinding('SECRET_MISSING', `Required server parameter ${name} is not set`, { path: tool.name, hint });
    }),
    ...(ungranted === undefined ? [] : [{ ...ungranted, path: tool.name }]),
  ];
}
