import type { Finding } from '../format/finding.ts';
import { nearestWord } from '../format/nearest-word.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import type { CallOutcome } from './call-tool.ts';
import type { SecretValues } from './plan-request.ts';
import { stringifyData } from './stringify-data.ts';

export interface FetchOptions {
  /** A loaded `main`. Either this or `schema`. */
  main?: unknown;
  /** What `loadSchema` returned, or its `main`. */
  schema?: unknown;
  /** Hooks by tool. Default: those that were loaded with `main`. */
  handlerMap?: HandlerMap;
  /** The caller's arguments. */
  userParams?: unknown;
  /** Values of the server parameters by name. */
  serverParams?: SecretValues;
  /** Name of the tool. */
  routeName: string;
  /** Ends the call and its upstream request. */
  signal?: AbortSignal;
  /** Of the upstream exchange, in milliseconds. Default 30,000. */
  timeoutMs?: number;
  /** Takes what handlers write to the console. */
  onLog?: (level: string, text: string) => void;
}

/** The result of a call (specification 2.12). */
export interface FetchResult {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** The answer after the handlers; null unless `status` is true. */
  data: unknown;
  /** `data` as JSON text; null unless `status` is true. */
  readonly dataAsString: string | null;
  /** Media type of the upstream's answer, where no handler changed it. */
  mimeType?: string;
}

/** Executes one tool (specification 4.4): checks the input, plans and sends the request, runs the hooks. Never throws. */
export async function fetchTool(options: FetchOptions): Promise<FetchResult> {
  const {
    main,
    schema,
    handlerMap,
    userParams = {},
    serverParams,
    routeName,
    signal,
    timeoutMs,
    onLog,
  } = options ?? {};
  try {
    const resolved = resolveRecord(main ?? schema);
    if (resolved.record === undefined) return failure(resolved.findings);
    const { record } = resolved;
    const tool = record.schema.tools.get(routeName);
    if (tool === undefined) return failure([unknownRoute(routeName, record)]);
    callRecord ??= (await import('./call-record.ts')).callRecord;
    const call = {
      handlerMap: handlerMap ?? record.handlerMap,
      userParams,
      serverParams: serverParams ?? {},
      signal,
      timeoutMs,
      onLog,
    };
    return toResult(await callRecord(record, tool, call));
  } catch (error) {
    const { code = 'INTERNAL', hint } = error as { code?: string; hint?: string };
    const message = error instanceof Error ? error.message : String(error);
    return failure([{ code, severity: 'error', path: routeName, message, ...(hint !== undefined && { hint }) }]);
  }
}

// Listing tools needs no HTTP, and an HTTP client takes longer to load than everything else here: it comes with the first call.
let callRecord: typeof import('./call-record.ts').callRecord | undefined;

function toResult({ status, findings, data, mimeType }: CallOutcome): FetchResult {
  if (!status) return failure(findings);
  let text: string | undefined;
  return {
    status,
    messages: findings.map(({ message }) => message),
    findings,
    data,
    // Written when it is first read: many callers want the data alone, and an answer may be large.
    get dataAsString() {
      text ??= stringifyData(data);
      return text;
    },
    ...(mimeType !== undefined && { mimeType }),
  };
}

function failure(findings: readonly Finding[]): FetchResult {
  const errors = [...findings];
  return {
    status: false,
    messages: errors.map(({ message }) => message),
    findings: errors,
    data: null,
    dataAsString: null,
  };
}

function unknownRoute(routeName: unknown, { schema }: SchemaRecord): Finding {
  const known = [...schema.tools.keys()];
  const meant = typeof routeName === 'string' ? nearestWord(routeName, known) : undefined;
  return {
    code: 'TOOL_UNKNOWN',
    severity: 'error',
    path: 'routeName',
    message: `Route "${String(routeName)}" not found in schema "${schema.namespace}"`,
    hint: meant === undefined ? `The tools are: ${known.join(', ')}.` : `Did you mean ${meant}?`,
  };
}
