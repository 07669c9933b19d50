import { resolveRecord } from '../load/resolve-record.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { isSandboxed } from '../sandbox/run-hook.ts';
import { type CheckResult, checkResult, type Finding } from '../schema/finding.ts';
import { parseFileValue } from '../schema/input/file-value.ts';
import type { JsonValue } from '../schema/json.ts';
import type { OneSchema } from '../schema/main-of.ts';
import type { Tool } from '../schema/schema.ts';
import { callFinding } from './call-findings.ts';
import { changePlan, type ToolCall, withIdempotencyKey } from './call-tool.ts';
import { type CallableTool, checkInput, checkServerParams, knownCallable, prepareCallable } from './callable-tool.ts';
import { type CurlFiles, curlCommand, pathOf } from './curl-command.ts';
import { type CallOptions, checkFetchOptions, type GivenCallOptions, unexpectedFinding } from './fetch-tool.ts';
import { planRequest, type RequestPlan } from './plan-request.ts';
import { isForm, type OutgoingBody } from './request/encode-body.ts';
import type { Part } from './request/multipart.ts';
import type { InputValues, SecretValues } from './request/template-value.ts';
import { findResourceRoute, unknownRoute } from './resource-routes.ts';
import { createVaults, type SecretVault } from './secret-vault.ts';
import { type OutgoingRequest, outgoingRequest } from './send-request.ts';
import { signRequest } from './sign-request.ts';

export type PreviewOptions = OneSchema &
  Omit<CallOptions, 'timeoutMs' | 'cache' | 'refresh'> & {
    /** Where the curl command reads files, by the names that their `data:` URLs have. Default: files with these names. */
    filePaths?: Readonly<Record<string, string>> | undefined;
  };

/** The request that a call would send. `status` is false if the call would fail first; missing secrets are only warnings. */
export interface CallPreview extends CheckResult {
  /** Null if `status` is false or a handler makes the request itself. Secrets are `{{NAME}}`. */
  request: PlannedRequest | null;
  /** A command for a POSIX shell. Secrets are `"$NAME"`. */
  curl: string | null;
}

export interface PlannedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** A value if it is sent as JSON, otherwise text; absent for a request without a body. */
  body?: JsonValue;
}

/**
 * Shows the request that a call would send, and sends nothing. `preRequest` runs in the sandbox without a network: if it calls
 * `fetch`, the preview shows the request as planned, with a warning. Never throws.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const { request } = await previewCall({ schema, routeName: 'getTides', userParams: { harbour: 'dover' } });
 * console.log(request?.method); // GET
 */
export async function previewCall(options: PreviewOptions): Promise<CallPreview> {
  try {
    return await planPreview(options ?? {});
  } catch (error) {
    return withoutRequest([unexpectedFinding(error, options?.routeName ?? '')]);
  }
}

function withoutRequest(findings: Finding[]): CallPreview {
  return { ...checkResult(findings), request: null, curl: null };
}

async function planPreview(options: GivenCallOptions & Pick<PreviewOptions, 'filePaths'>): Promise<CallPreview> {
  const { main, schema, handlerMap, isolation, userParams, serverParams = {}, routeName } = options;
  const wrong = checkFetchOptions(options);
  if (wrong.length > 0) return withoutRequest(wrong);
  const { record, findings } = resolveRecord(main ?? schema, { handlerMap, isolation });
  if (record === undefined) return withoutRequest(findings);
  const tool = record.schema.tools.get(routeName);
  if (tool === undefined) return previewLookUp(record, routeName);
  const parts = { record, tool, handlerMap: handlerMap ?? record.handlerMap };
  const callable = knownCallable(parts) ?? (await prepareCallable(parts));
  const checked = checkInput(tool, userParams ?? {});
  if (!checked.ok) return withoutRequest(checked.findings);
  const missing = checkServerParams({ record, tool }, serverParams).map(
    (finding): Finding => ({ ...finding, severity: 'warning' }),
  );
  const { signal, onLog, idempotencyKey } = options;
  const context = withIdempotencyKey({ signal, onLog, idempotencyKey });
  const hasMissing = missing.some(({ code }) => code !== 'SEND_NOT_GRANTED');
  const run = { callable, serverParams, hasMissing, context };
  const { status, findings: planFindings, plan, vault } = await planWithHooks(run, checked.values);
  const all = [...missing, ...planFindings];
  if (!status || plan === undefined) return withoutRequest(all);
  // A preview sends no secret, so it needs no grant for it.
  const { unsendable: _, ...network } = callable.network;
  const outgoing = outgoingRequest(plan, { tool, network }, vault);
  if (!outgoing.ok) return withoutRequest([...all, outgoing.finding]);
  const { signature } = tool;
  const isSigned = signature !== undefined && network.isRoot(outgoing.request.url);
  const { body: __, ...signable } = outgoing.request;
  const request = { ...outgoing.request, ...(isSigned && signRequest(signable, signature, undefined)) };
  const file = typeof plan.body === 'string' ? parseFileValue(plan.body) : undefined;
  const fileName = file?.name ?? tool.placements.find(({ location }) => location === 'body')?.key ?? 'body';
  const files = { fileName, filePaths: options.filePaths };
  const notes = [
    ...computedParts(tool, isSigned),
    ...laterPages(tool, callable),
    ...encodedSecrets(request, vault, serverParams),
    ...missingFiles(request, files),
  ];
  return {
    ...withoutRequest([...all, ...notes]),
    request: maskedRequest(request, vault),
    curl: curlCommand(request, vault, files),
  };
}

/** Queries and documents send no request that could be shown. */
function previewLookUp(record: SchemaRecord, routeName: string): CallPreview {
  const route = findResourceRoute(record, routeName);
  if (route === undefined)
    return withoutRequest([unknownRoute(routeName, [record], `schema "${record.schema.namespace}"`)]);
  const lookUp = route.resource.kind === 'sqlite' ? 'looks up rows in a database' : 'reads a document';
  return withoutRequest([unknown(routeName, `${routeName} ${lookUp}, and sends no request of a tool.`)]);
}

type PreviewRun = Pick<ToolCall, 'callable' | 'context'> & { serverParams: SecretValues; hasMissing: boolean };

async function planWithHooks(
  { callable, serverParams, hasMissing, context }: PreviewRun,
  values: InputValues,
): Promise<{ status: boolean; findings: Finding[]; plan?: RequestPlan; vault: SecretVault }> {
  const { tool, hooks } = callable;
  const shown = tokensFor(callable, serverParams);
  if (hooks.executeRequest) {
    const message = `A handler of ${tool.name} makes the request itself: its content is known only when it runs.`;
    return { status: true, findings: [unknown(tool.name, message)], vault: shown };
  }
  const planned = planRequest(tool, values, shown.visible, context);
  if (!planned.ok) return { status: false, findings: planned.findings, vault: shown };
  const asPlanned = { status: true, findings: [], plan: planned.plan, vault: shown };
  const unchanged = (reason: string) => {
    const message = `The preRequest handler of ${tool.name} ${reason}: it may change this request.`;
    return { ...asPlanned, findings: [unknown(tool.name, message)] };
  };
  const before = hooks.preRequest ?? hooks.preProcess;
  if (before === null) return asPlanned;
  if (!isSandboxed(before)) return unchanged('runs outside of the sandbox, and was not run');
  if (hasMissing) return unchanged('was not run without its secrets');
  const vault = callable.openVault(serverParams, shownCredentials(tool));
  let asked = false;
  const openBroker = () => async () => {
    asked = true;
    throw new Error('a preview sends nothing');
  };
  const own = planRequest(tool, values, vault.visible, context);
  if (!own.ok) return asPlanned;
  const changed = await changePlan({ callable, vault, context, openBroker }, before, { plan: own.plan, values });
  if (asked) return unchanged('sends requests of its own, which a preview does not');
  if (changed.ok) return { status: true, findings: [], plan: changed.plan, vault };
  const findings = changed.findings.map((finding) => ({ ...finding, message: vault.scrub(finding.message) }));
  return { status: false, findings, vault };
}

/** Tokens for all secrets, including those that are not set or that handlers may read. */
function tokensFor({ requiredServerParams, tool }: CallableTool, serverParams: SecretValues): SecretVault {
  const named = requiredServerParams.map((name) => [name, serverParams[name] || `{{${name}}}`] as const);
  return createVaults({ ...Object.fromEntries(named), ...shownCredentials(tool) })({ hasHandlers: true });
}

/** Computed credentials as their placeholders: a preview asks for no access token. */
function shownCredentials({ credentials }: Tool): SecretValues {
  return credentials === undefined ? {} : { [credentials.name]: `{{${credentials.name}}}` };
}

/** Warnings for parts that are known only when the request is sent. */
function computedParts({ name, credentials }: Tool, isSigned: boolean): Finding[] {
  const parts = {
    basic: 'is the base64 text of <user name>:<password>',
    oauth2: `is the token that ${credentials?.type === 'oauth2' ? credentials.tokenUrl : ''} gives`,
  };
  return [
    ...(credentials ? [unknown(name, `${credentials.name} in this request ${parts[credentials.type]}.`)] : []),
    ...(isSigned ? [unknown(name, 'The signature and its time are made when the request is sent.')] : []),
  ];
}

/** A warning that this is the first of several requests. A handler with `executeRequest` reads its pages itself. */
function laterPages({ name, pagination }: Tool, { hooks }: CallableTool): Finding[] {
  if (pagination === undefined || pagination.maxPages === 1 || hooks.executeRequest) return [];
  return [
    unknown(
      name,
      `This is the request for the first page; the call then asks for up to ${pagination.maxPages - 1} more.`,
    ),
  ];
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
    ...(body !== undefined && { body: typeof body === 'string' ? asValue(mask(body)) : shownBody(body, mask) }),
  };
}

/** A body with bytes: the parts of a form, or how many bytes there are. */
function shownBody(body: Exclude<OutgoingBody, string>, mask: (text: string) => string): JsonValue {
  if (body instanceof Uint8Array) return `(${body.length} bytes)`;
  return body.parts.map(({ content, ...about }) => ({
    ...about,
    content: typeof content === 'string' ? asValue(mask(content)) : `(${content.length} bytes)`,
  }));
}

function asValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text; // A form, or the text of a handler.
  }
}

/** Warnings for values that are encoded in the request: a shell inserts a variable as it is. */
function encodedSecrets({ url, headers, body }: OutgoingRequest, vault: SecretVault, values: SecretValues): Finding[] {
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1);
  const places: [text: string, write: (value: string) => string][] = [
    [url, encodeURIComponent],
    [typeof body === 'string' ? body : '', isForm(headers) ? encodeURIComponent : inJson],
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
    const message = `The value of ${name} contains characters that are encoded in the request`;
    const hint = `For the curl command, set ${name} to the encoded value.`;
    return callFinding('PREVIEW_ENCODING', message, { path: name, severity: 'warning', hint });
  });
}

/** A warning where the command reads files that the caller gave as text. */
function missingFiles({ body }: OutgoingRequest, { fileName = '', filePaths }: CurlFiles): Finding[] {
  if (body === undefined || typeof body === 'string') return [];
  const isFile = (part: Part) => typeof part.content !== 'string';
  const names =
    body instanceof Uint8Array ? [fileName] : body.parts.filter(isFile).map((part) => part.filename ?? part.name);
  return names.map((name) => {
    const hint = 'Run the command where a file with this name is.';
    return callFinding('PREVIEW_FILE', `The curl command reads the file ${pathOf(name, filePaths)}`, {
      severity: 'warning',
      hint,
    });
  });
}

function unknown(path: string, message: string): Finding {
  return callFinding('PREVIEW_UNKNOWN', message, { path, severity: 'warning' });
}
