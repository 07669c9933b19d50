import { resolveRecord } from '../../load/resolve-record.ts';
import type { SchemaRecord } from '../../load/schema-record.ts';
import { isSandboxed } from '../../sandbox/run-hook.ts';
import { type CheckResult, checkResult, type Finding } from '../../schema/finding.ts';
import type { JsonValue } from '../../schema/json.ts';
import type { OneSchema } from '../../schema/main-of.ts';
import { callFinding } from '../call-finding.ts';
import { type CallableTool, callableTool, checkInput, missingSecrets } from '../callable-tool.ts';
import { type CallOptions, checkFetchOptions, type GivenCallOptions, unexpectedFinding } from '../fetch-tool.ts';
import { type OutgoingRequest, outgoingRequest } from '../outgoing-request.ts';
import { type InputValues, isForm, planRequest, type RequestPlan, type SecretValues } from '../plan-request.ts';
import { findResourceRoute, type ResourceRoute, unknownRoute } from '../resource-routes.ts';
import { changePlan, type RunningCall } from '../running-call.ts';
import { createVaults, type SecretVault } from '../secret-vault.ts';
import { curlCommand } from './curl-command.ts';

/** What is planned is looked at, not sent: there is nothing to wait for or to keep. */
export type PreviewOptions = OneSchema & Omit<CallOptions, 'timeoutMs' | 'cache' | 'refresh'>;

/**
 * The request that a call would send. `status` is false where the call would fail before it sends anything, but for secrets
 * that are not set: those are warnings.
 */
export interface CallPreview extends CheckResult {
  /** Null where `status` is false, and where a handler makes the request itself. Secrets are `{{NAME}}`. */
  request: PlannedRequest | null;
  /** The same as a command for a POSIX shell. Secrets are `"$NAME"`. */
  curl: string | null;
}

export interface PlannedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** A value where it is sent as JSON, otherwise text; absent where nothing is sent. */
  body?: JsonValue;
}

/**
 * Shows the request that a call would send, and sends nothing. `preRequest` runs in the sandbox, without a network: where it
 * asks for something, the request is shown as it was before, with a warning. Never throws.
 */
export async function previewCall(options: PreviewOptions): Promise<CallPreview> {
  try {
    return await planPreview(options ?? {});
  } catch (error) {
    return previewResult([unexpectedFinding(error, options?.routeName ?? '')]);
  }
}

/** A preview without a request. */
function previewResult(findings: Finding[]): CallPreview {
  return { ...checkResult(findings), request: null, curl: null };
}

async function planPreview(options: GivenCallOptions): Promise<CallPreview> {
  const { main, schema, handlerMap, isolation, userParams, serverParams = {}, routeName, signal, onLog } = options;
  const wrong = checkFetchOptions(options);
  if (wrong.length > 0) return previewResult(wrong);
  const { record, findings } = resolveRecord(main ?? schema, { handlerMap, isolation });
  if (record === undefined) return previewResult(findings);
  const tool = record.schema.tools.get(routeName);
  if (tool === undefined) return previewLookUp(record, routeName);
  const callable = await callableTool({ record, tool, handlerMap: handlerMap ?? record.handlerMap });
  const checked = checkInput(tool, userParams ?? {});
  if (!checked.ok) return previewResult(checked.findings);
  const missing = missingSecrets({ record, tool }, serverParams).map(asWarning);
  const context = { signal, onLog };
  const run = { callable, serverParams, hasMissing: missing.length > 0, context };
  const { status, ...planned } = await planWithHooks(run, checked.values);
  const all = [...missing, ...planned.findings];
  if (!status || planned.plan === undefined) return previewResult(all);
  const { plan, vault } = planned;
  const outgoing = outgoingRequest(plan, { network: callable.network, vault });
  if (!outgoing.ok) return previewResult([...all, outgoing.finding]);
  const { request } = outgoing;
  return {
    ...previewResult([...all, ...spelledSecrets(request, vault, serverParams)]),
    request: maskedRequest(request, vault),
    curl: curlCommand(request, vault),
  };
}

/** A query and a document have no request of their own that could be shown. */
function previewLookUp(record: SchemaRecord, routeName: string): CallPreview {
  const route = findResourceRoute(record, routeName);
  if (route === undefined)
    return previewResult([unknownRoute(routeName, [record], `schema "${record.schema.namespace}"`)]);
  return previewResult([unknown(routeName, `${routeName} ${whatIsLookedUp(route)}, and sends no request of a tool.`)]);
}

function whatIsLookedUp({ resource }: ResourceRoute): string {
  return resource.kind === 'sqlite' ? 'looks up rows in a database' : 'reads a document';
}

interface PreviewRun extends Pick<RunningCall, 'callable' | 'context'> {
  serverParams: SecretValues;
  hasMissing: boolean;
}

interface PlannedPreview {
  status: boolean;
  findings: Finding[];
  plan?: RequestPlan;
  vault: SecretVault;
}

async function planWithHooks(
  { callable, serverParams, hasMissing, context }: PreviewRun,
  values: InputValues,
): Promise<PlannedPreview> {
  const { tool, hooks } = callable;
  const shown = tokensFor(callable, serverParams);
  if (hooks.executeRequest) {
    const message = `A handler of ${tool.name} makes the request itself: what it sends is known only once it runs.`;
    return { status: true, findings: [unknown(tool.name, message)], vault: shown };
  }
  const planned = planRequest(tool, values, shown.visible);
  if (!planned.ok) return { status: false, findings: planned.findings, vault: shown };
  const asPlanned = { status: true, findings: [], plan: planned.plan, vault: shown };
  const unchanged = (reason: string) => {
    const message = `The preRequest handler of ${tool.name} ${reason}: it may change what is shown.`;
    return { ...asPlanned, findings: [unknown(tool.name, message)] };
  };
  const before = hooks.preRequest ?? hooks.preProcess;
  if (before === null) return asPlanned;
  if (!isSandboxed(before)) return unchanged('runs outside of the sandbox, and was not run');
  if (hasMissing) return unchanged('was not run without its secrets');
  const vault = callable.openVault(serverParams);
  let asked = false;
  const openBroker = () => async () => {
    asked = true;
    throw new Error('nothing is sent while a call is only shown');
  };
  const own = planRequest(tool, values, vault.visible);
  if (!own.ok) return asPlanned;
  const changed = await changePlan({ callable, vault, context, openBroker }, before, { plan: own.plan, values });
  if (asked) return unchanged('sends requests of its own, which a preview does not');
  if (changed.ok) return { status: true, findings: [], plan: changed.plan, vault };
  const findings = changed.findings.map((finding) => ({ ...finding, message: vault.scrub(finding.message) }));
  return { status: false, findings, vault };
}

/** Tokens for all secrets, those too that are not set or that handlers may read. */
function tokensFor({ requiredServerParams }: CallableTool, serverParams: SecretValues): SecretVault {
  const named = requiredServerParams.map((name) => [name, serverParams[name] || `{{${name}}}`] as const);
  return createVaults(Object.fromEntries(named))({ hasHandlers: true });
}

function maskedRequest({ method, url, headers, body }: OutgoingRequest, vault: SecretVault): PlannedRequest {
  const mask = (text: string) =>
    vault
      .replaceTokens(text, (name) => `\0${name}\0`)
      .split('\0')
      .map((part, index) => (index % 2 === 1 ? `{{${part}}}` : vault.scrub(part)))
      .join('');
  const masked = Object.entries(headers).map(([name, value]) => [name, mask(value)] as const);
  return {
    method,
    url: mask(url),
    headers: Object.fromEntries(masked),
    ...(body !== undefined && { body: asValue(mask(body)) }),
  };
}

function asValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text; // A form, or what a handler wrote.
  }
}

/** A shell puts a variable in as it is; a value that has to be encoded where it stands would be another one there. */
function spelledSecrets(
  { url, headers, body = '' }: OutgoingRequest,
  vault: SecretVault,
  values: SecretValues,
): Finding[] {
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1);
  const places: [text: string, write: (value: string) => string][] = [
    [url, encodeURIComponent],
    [body, isForm(headers) ? encodeURIComponent : inJson],
  ];
  const spelled = new Set<string>();
  for (const [text, write] of places) {
    vault.replaceTokens(text, (name) => {
      const value = values[name] ?? '';
      if (write(value) !== value) spelled.add(name);
      return '';
    });
  }
  return [...spelled].map((name) => {
    const message = `The value of ${name} has characters that are written in another way where it stands in the request`;
    const hint = `For the curl command, set ${name} to the value as it is written there.`;
    return callFinding('PREVIEW_ENCODING', message, { path: name, severity: 'warning', hint });
  });
}

function unknown(path: string, message: string): Finding {
  return callFinding('PREVIEW_UNKNOWN', message, { path, severity: 'warning' });
}

function asWarning(finding: Finding): Finding {
  return { ...finding, severity: 'warning' };
}
