import { type Finding, hasNoErrors, messageOf } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { isObject } from '../schema/json.ts';
import { handlersOf, isLoaded, mainOf } from '../schema/main-of.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { Input, Schema } from '../schema/schema.ts';
import { attachLive } from './attach-handlers.ts';
import { listsInEnums, takesListValues } from './lists/list-values.ts';
import {
  findOriginalRecord,
  findRecord,
  type HandlerMap,
  requestHooks,
  type SchemaRecord,
  storeRecord,
} from './schema-record.ts';

/** Either the record of a schema, or why there is none. */
export type ResolvedRecord = { record: SchemaRecord; findings?: never } | { record?: never; findings: Finding[] };

/** How to run the handlers of a schema that a program passes as `{ main, handlers }`. */
export interface LiveHandlers {
  /** Hooks that run instead of `handlers`. */
  handlerMap?: HandlerMap | undefined;
  /** `'trusted'` runs them in this process. */
  isolation?: 'trusted' | undefined;
}

/** The record of a schema in any of the forms in which a program passes one. See `mainOf`. */
export function resolveRecord(value: unknown, live: LiveHandlers = {}): ResolvedRecord {
  try {
    const handlers = live.handlerMap === undefined ? handlersOf(value) : undefined;
    return handlers === undefined ? recordOf(value) : withLiveHandlers(value, handlers, live);
  } catch (error) {
    return { findings: [unreadable(error)] };
  }
}

/** The finding for an object that cannot be read: a getter that throws, a cycle, a bigint. */
export function unreadable(error: unknown): Finding {
  return ruleFinding('VAL006', 'main', `main must be plain data that JSON can carry: ${messageOf(error)}`);
}

/** The result of each factory, with the record that it was called for. */
const liveRecords = new WeakMap<object, { of: SchemaRecord; record: SchemaRecord }>();

function withLiveHandlers(value: unknown, handlers: unknown, { isolation }: LiveHandlers): ResolvedRecord {
  if (isolation !== 'trusted') return { findings: [notTrusted] };
  const { record: of, findings } = recordOf(value, true);
  if (of === undefined) return { findings };
  const known = typeof handlers === 'function' ? liveRecords.get(handlers) : undefined;
  if (known?.of === of) return { record: known.record };
  const { attached, findings: wrong } = attachLive(handlers, of.schema);
  if (attached === undefined) return { findings: wrong };
  const record: SchemaRecord = { ...of, ...attached };
  if (typeof handlers === 'function') liveRecords.set(handlers, { of, record });
  return { record };
}

const notTrusted: Finding = ruleFinding(
  'VAL093',
  'handlers',
  "handlers in this process run only with isolation: 'trusted'",
  "Pass the file to SchemaKit.loadSchema({ filePath }), which runs them in the sandbox, or pass isolation: 'trusted'.",
);

function recordOf(value: unknown, hasHandlers = false): ResolvedRecord {
  const main = mainOf(value);
  const failed = isLoaded(value) && value.status === false;
  if (failed) return { findings: [notLoaded, ...errorsIn(value.findings)] };
  if (!isObject(main)) {
    const message = 'a schema is required: the result of loadSchema, or its main';
    const hint = 'Call SchemaKit.loadSchema({ filePath }) first.';
    return { findings: [ruleFinding('VAL002', 'schema', message, hint)] };
  }
  const known = findRecord(main);
  if (known === 'several') return { findings: [severalFiles] };
  return known ? { record: known } : recordBareMain(main, hasHandlers);
}

const notLoaded: Finding = ruleFinding(
  'VAL091',
  'schema',
  'this schema did not load',
  'Fix the findings of loadSchema and load it again.',
);

function errorsIn(findings: unknown): Finding[] {
  return Array.isArray(findings) ? findings.filter(({ severity }: Finding) => severity === 'error') : [];
}

const severalFiles: Finding = ruleFinding(
  'VAL090',
  'main',
  'this main is a copy, and files with the same main and different handlers were loaded',
  'Pass the result of SchemaKit.loadSchema itself, or its main.',
);

function recordBareMain(main: Record<string, unknown>, hasHandlers: boolean): ResolvedRecord {
  const findings: Finding[] = [];
  // A loaded `main` that was changed keeps its handlers, lists and grants; only its fields are read again.
  const original = findOriginalRecord(main);
  const schema = parseSchema(
    main,
    (finding) => findings.push(finding),
    original ? { requestHook: requestHooks(original) } : { requestHook: () => (hasHandlers ? 'makes' : undefined) },
  );
  if (schema === undefined || !hasNoErrors(findings)) return { findings };
  const unloaded = original ? [] : needsLoading(schema, hasHandlers);
  if (unloaded.length > 0) return { findings: unloaded };
  const record: SchemaRecord = original
    ? { ...original, schema: withResolvedInputs(schema, original.schema) }
    : { schema, handlerMap: {}, rowsHooks: {}, prompts: [], grants: {}, approveRoot: true };
  storeRecord(main, record);
  return { record };
}

/** Findings for the parts that only loading adds to a `main`: the values of shared lists, and handlers. */
export function needsLoading(schema: Schema, hasHandlers = false): Finding[] {
  const reasons = [
    ...[...listsInEnums(schema)].map((list) => `values of the shared list '${list}'`),
    ...schema.requiredLibraries.map((library) => `handlers that use ${library}`),
    ...(!hasHandlers && schema.root.startsWith('local://') && schema.tools.size > 0
      ? ['handlers, since its root is local']
      : []),
  ];
  const hint = 'Call SchemaKit.loadSchema({ filePath }) and pass its result.';
  return reasons.map((reason) =>
    ruleFinding('VAL090', 'main', `this main needs ${reason}, which only loadSchema provides`, hint),
  );
}

function withResolvedInputs(schema: Schema, original: Schema): Schema {
  const tools = new Map(
    [...schema.tools].map(([name, tool]) => {
      const known = original.tools.get(name);
      return [name, tool.inputs.some(takesListValues) && known ? { ...tool, inputs: known.inputs } : tool];
    }),
  );
  const resources = new Map(
    [...schema.resources].map(([name, resource]) => {
      const queries = [...resource.queries.values()] as readonly { inputs: readonly Input[] }[];
      const known = original.resources.get(name);
      return [name, known && queries.some(({ inputs }) => inputs.some(takesListValues)) ? known : resource];
    }),
  );
  return { ...schema, tools, resources };
}
