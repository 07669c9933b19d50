import { childPath, type Report } from './finding.ts';
import { fieldsOf } from './format/fields.generated.ts';
import { findNotPlain, isObject } from './json.ts';
import { isAgentManifest } from './main-of.ts';
import { ruleReport } from './rule-report.ts';
import { reportAdditions } from './rules/additions.ts';
import { parseAuth } from './rules/auth.ts';
import { reportUnknownFields } from './rules/fields.ts';
import { parseIdentity } from './rules/identity.ts';
import { ownSecretsOf } from './rules/own-secrets.ts';
import { parsePrompts, parseSkills } from './rules/prompts.ts';
import { parseLibraries, parseListReferences, parseServerParams } from './rules/requirements.ts';
import { parseResources } from './rules/resources.ts';
import { parseHeaders, parseRoot, type RootNeed } from './rules/root.ts';
import { parseSignature } from './rules/signature.ts';
import { parseTools, toolsKey } from './rules/tools.ts';
import type { Schema } from './schema.ts';

export interface ParseSchemaOptions {
  /** Whether `main` is known to be plain data, such as a value read from a file. Default false. */
  isData?: boolean;
  /** What handlers do about the request of a tool. Default: nothing, for all. */
  requestHook?: (toolName: string) => RequestHook | undefined;
}

/** A hook that makes the request of a tool, which then needs no `root`, or one that may change its URL. */
export type RequestHook = 'makes' | 'changes';

/**
 * Parses `main`: checks each section, reports all problems, and returns what the runtime needs. Invalid parts are
 * missing from the result, so use it only if no finding is an error. Never throws.
 */
export function parseSchema(
  main: unknown,
  onFinding: Report,
  { isData = false, requestHook = () => undefined }: ParseSchemaOptions = {},
): Schema | undefined {
  const report = ruleReport(onFinding);
  const notPlain = isData ? undefined : findNotPlain(main);
  if (notPlain !== undefined && typeof main === 'object') {
    const path = notPlain.keys.reduce<string>(childPath, 'main');
    return report('VAL006', path, `main must be plain data, but contains ${notPlain.what}`, 'Move code to handlers.');
  }
  if (!isObject(main)) {
    const message = main === undefined ? 'main is missing' : 'main must be a plain object';
    const hint = "Write export const main = { namespace: '…', name: '…', description: '…', version: '3.0.0', … }.";
    return report(main === undefined ? 'VAL001' : 'VAL002', 'main', message, hint);
  }
  if (isAgentManifest(main)) {
    return report('VAL008', 'main', 'this is an agent manifest, not a schema', 'Load it with loadAgent({ filePath }).');
  }
  reportUnknownFields(main, fieldsOf.SchemaMain, { path: 'main', report });
  reportAdditions(main, report);
  const identity = parseIdentity(main, report);
  const requiredServerParams = parseServerParams(main, report);
  const secrets = new Set(requiredServerParams);
  const root = parseRoot(main, { secrets, need: rootNeed(main, requestHook), report });
  const headers = parseHeaders(main, { secrets, report });
  const auth = parseAuth(main, { secrets, headers, report });
  const signature = parseSignature(main, { secrets, report });
  const { version } = identity;
  const parts = {
    requiredLibraries: parseLibraries(main, report),
    sharedLists: parseListReferences(main, report),
    resources: parseResources(main, report),
    prompts: [...parseSkills(main, report), ...parsePrompts(main, report)],
  };
  const tools = parseTools(main, { version, root: root.template, headers, auth, signature, secrets, report });
  return {
    ...identity,
    root: root.text,
    requiredServerParams,
    ...parts,
    toolsPath: `main.${toolsKey(main)}`,
    tools,
    ...ownSecretsOf(tools, auth.credentials, signature),
  };
}

function rootNeed(
  { tools, routes, resources, skills, prompts }: Record<string, unknown>,
  requestHook: (toolName: string) => RequestHook | undefined,
): RootNeed {
  const value = tools ?? routes;
  const names = isObject(value) ? Object.keys(value) : [];
  if (names.length === 0) {
    return [value, resources, skills, prompts].every((part) => part === undefined) ? 'unknown' : 'nothing';
  }
  const hooks = new Set(names.map(requestHook));
  if (hooks.has(undefined)) return 'requests';
  return hooks.has('changes') ? 'hooks' : 'handlers';
}
