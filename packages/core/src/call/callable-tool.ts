import { createInputCheck, type InputCheck } from '../format/check-input.ts';
import type { Tool } from '../format/tool.ts';
import { describeHandlers } from '../handlers/describe-handlers.ts';
import { hookNames, type ToolHooks } from '../handlers/run-hook.ts';
import { hooksOf } from '../load/attach-handlers.ts';
import { unknownKey } from '../load/create-handlers.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import type { CallableTool } from './call-tool.ts';
import { networkGrant } from './network-grant.ts';
import type { SecretValues } from './plan-request.ts';
import { createSecretVault, type SecretVault } from './secret-vault.ts';

const noHooks = Object.fromEntries(hookNames.map((hook) => [hook, null])) as ToolHooks;
const callables = new WeakMap<SchemaRecord, Map<string, CallableTool>>();

/** A tool of a loaded schema, ready to be called; made at its first call and kept. */
export async function callableTool(record: SchemaRecord, tool: Tool, handlerMap: HandlerMap): Promise<CallableTool> {
  const known = handlerMap === record.handlerMap ? callables.get(record)?.get(tool.name) : undefined;
  if (known) return known;
  const callable = makeCallable(record, tool, await findHooks(record, tool, handlerMap));
  if (handlerMap === record.handlerMap) {
    const tools = callables.get(record) ?? new Map<string, CallableTool>();
    callables.set(record, tools.set(tool.name, callable));
  }
  return callable;
}

/** The kept tool, without waiting; undefined before its first call. */
export function knownCallableTool(record: SchemaRecord, name: string): CallableTool | undefined {
  return callables.get(record)?.get(name);
}

function makeCallable({ schema, grants, approveRoot }: SchemaRecord, tool: Tool, hooks: ToolHooks): CallableTool {
  const { network: granted = [], secrets = [] } = grants;
  let check: InputCheck | undefined;
  return {
    tool,
    requiredServerParams: [...new Set([...schema.requiredServerParams, ...tool.secrets])],
    hooks,
    network: networkGrant(schema.root, { granted, approveRoot }),
    checkInput(params) {
      check ??= createInputCheck(tool.inputs);
      return check(params);
    },
    vaultFor: vaultKeeper([...new Set([...schema.requiredServerParams, ...tool.secrets])], secrets),
  };
}

/** Makes the vault of a set of server parameters once, as long as the values stay the same. */
function vaultKeeper(
  names: readonly string[],
  granted: readonly string[],
): (serverParams: SecretValues) => SecretVault {
  let kept: { values: readonly (string | undefined)[]; vault: SecretVault } | undefined;
  return (serverParams) => {
    if (kept && names.every((name, index) => serverParams[name] === kept?.values[index])) return kept.vault;
    const values = names.map((name) => serverParams[name]);
    const declared = names.flatMap((name) =>
      serverParams[name] === undefined ? [] : [[name, String(serverParams[name])]],
    );
    const vault = createSecretVault(Object.fromEntries(declared), granted);
    kept = { values, vault };
    return vault;
  };
}

async function findHooks({ program, schema }: SchemaRecord, tool: Tool, handlerMap: HandlerMap): Promise<ToolHooks> {
  const own = Object.hasOwn(handlerMap, tool.name) ? handlerMap[tool.name] : undefined;
  if (own) return { ...noHooks, ...own };
  if (program === undefined) return noHooks;
  // The factory builds its map in a way that only running it can tell.
  const names = await describeHandlers(program);
  const stranger = Object.keys(names).find((key) => !schema.tools.has(key));
  if (stranger !== undefined)
    throw Object.assign(new Error(unknownKey(stranger, [...schema.tools.keys()]).message), { code: 'VAL005' });
  return hooksOf(program, tool.name, names[tool.name] ?? []);
}
