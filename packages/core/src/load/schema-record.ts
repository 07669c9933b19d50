import type { Grants } from '../lock/grants.ts';
import type { HandlerProgram } from '../sandbox/handler-program.ts';
import type { HookFunction, ToolHooks } from '../sandbox/run-hook.ts';
import {
  type FilteredSchemas,
  type FilterSchemasOptions,
  filterFinding,
  filterSchemas,
} from '../schema/filter-schemas.ts';
import { checkResult, messageOf } from '../schema/finding.ts';
import { hashValue } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import type { RequestHook } from '../schema/parse-schema.ts';
import type { Prompt } from '../schema/prompts/prompt.ts';
import type { Schema, TokenEndpoint } from '../schema/schema.ts';

/** The hooks of a schema by tool; empty when it has none. */
export type HandlerMap = Readonly<Record<string, ToolHooks | Record<string, HookFunction | null>>>;

/** Everything about a loaded schema that is not in its `main`. */
export interface SchemaRecord {
  schema: Schema;
  file?: string;
  handlerMap: HandlerMap;
  /** Hooks for rows, by resource and query. */
  rowsHooks: Readonly<Record<string, Readonly<Record<string, HookFunction>>>>;
  /** Tool names that handlers may have, if a filter removed tools. */
  handlerKeys?: readonly string[];
  prompts: readonly Prompt[];
  /** Present when the hook names can only be known by running the factory. */
  program?: HandlerProgram;
  grants: Grants;
  /** Whether the root may be a private address and gets the secrets: true for files that a user or a program names. */
  approveRoot: boolean;
  /** Where grants for the schema are kept. */
  lockFile?: string;
}

interface StoredRecord {
  record: SchemaRecord;
  /** The parts of `main` that calls depend on, to detect later changes. */
  parts: readonly unknown[];
}

/** A record that can be found by an equal `main`. Hashes are computed for the first copy: most programs never pass one. */
interface CopySource {
  record: SchemaRecord;
  main: Record<string, unknown>;
  byteLength: number;
  hash?: string | undefined;
}

const maxCopies = 2000;
const maxCopyBytes = 32 * 1024 * 1024;
const byIdentity = new WeakMap<object, StoredRecord>();
/** Copies with other fields share the `tools` object. */
const byTools = new WeakMap<object, SchemaRecord>();
const forCopies: CopySource[] = [];
let copyBytes = 0;

/**
 * Stores the record of a loaded `main`, also for copies. If `original`, which it copies, is cached anyway, `main` can be collected.
 *
 * @param byteLength - The size of the file. The oldest records of large files are not kept for copies.
 */
export function storeRecord(
  main: Record<string, unknown>,
  record: SchemaRecord,
  { original = main, byteLength = 0 }: { original?: Record<string, unknown>; byteLength?: number } = {},
): void {
  byIdentity.set(main, { record, parts: partsOf(main) });
  const tools = main.tools ?? main.routes;
  if (isObject(tools)) byTools.set(tools, record);
  if (!holdsMoreThanMain(record)) return;
  forCopies.push({ record, main: original, byteLength });
  copyBytes += byteLength;
  while (forCopies.length > maxCopies || copyBytes > maxCopyBytes) copyBytes -= forCopies.shift()?.byteLength ?? 0;
}

/** `several`: files with the same `main` and different handlers. */
function findForCopy(main: Record<string, unknown>): SchemaRecord | 'several' | undefined {
  const hash = forCopies.length > 0 ? hashOf(main) : undefined;
  if (hash === undefined) return undefined;
  const equal = forCopies.filter((source) => {
    source.hash ??= hashOf(source.main);
    return source.hash === hash;
  });
  const record = equal.at(-1)?.record;
  return equal.some((source) => source.record.file !== record?.file) ? 'several' : record;
}

/** Undefined for a `main` with a lone surrogate, or with values that JSON cannot carry. */
function hashOf(main: Record<string, unknown>): string | undefined {
  try {
    return hashValue(main);
  } catch {
    return undefined;
  }
}

/** Without these, a copy of `main` is as good as the original. */
function holdsMoreThanMain({ handlerMap, program, schema, grants, approveRoot }: SchemaRecord): boolean {
  const hasHandlers = Object.keys(handlerMap).length > 0 || program !== undefined;
  return hasHandlers || schema.sharedLists.length > 0 || Object.keys(grants).length > 0 || !approveRoot;
}

/** The record of a `main` that was loaded and not changed since, or that is equal to one. */
export function findRecord(main: Record<string, unknown>): SchemaRecord | 'several' | undefined {
  const stored = byIdentity.get(main);
  if (stored) {
    let index = 0;
    const isSame = everyPart(main, (part) => part === stored.parts[index++]);
    return isSame && index === stored.parts.length ? stored.record : undefined;
  }
  const record = findForCopy(main);
  if (typeof record === 'object') byIdentity.set(main, { record, parts: partsOf(main) });
  return record;
}

/** The record that a `main` had before it was changed, or that of the `main` whose tools it shares. */
export function findOriginalRecord(main: Record<string, unknown>): SchemaRecord | undefined {
  const tools = main.tools ?? main.routes;
  return byIdentity.get(main)?.record ?? (isObject(tools) ? byTools.get(tools) : undefined);
}

function partsOf(main: Record<string, unknown>): unknown[] {
  const parts: unknown[] = [];
  everyPart(main, (part) => parts.push(part) > 0);
  return parts;
}

/** Visits the parts of `main` that requests are made from, while `visit` returns true. Each call does it, so it makes no copies. */
function everyPart(main: Record<string, unknown>, visit: (part: unknown) => boolean): boolean {
  const { root, headers, auth, signature } = main;
  const tools = main.tools ?? main.routes;
  if (!visit(root) || !visit(tools) || !visit(auth) || !visit(signature)) return false;
  if (isObject(headers)) for (const name in headers) if (!visit(headers[name])) return false;
  if (!isObject(tools)) return true;
  for (const name in tools) {
    const tool = tools[name];
    if (!visit(tool)) return false;
    if (isObject(tool) && !(visit(tool.path) && visit(tool.method) && visit(tool.parameters))) return false;
  }
  return true;
}

/** Tells what hooks do about requests, as far as that is known before the factory has run. */
export function requestHooks({ handlerMap, program }: SchemaRecord): (toolName: string) => RequestHook | undefined {
  return (name) => {
    const hooks = Object.hasOwn(handlerMap, name) ? handlerMap[name] : undefined;
    if (program !== undefined || hooks?.executeRequest != null) return 'makes';
    return hooks?.preRequest == null ? undefined : 'changes';
  };
}

/** Filters schemas. The remaining tools keep their handlers, lists and grants. */
export function filterArrayOfSchemas<T>(options: FilterSchemasOptions<T>): FilteredSchemas<T> {
  try {
    return filterSchemas({ ...options, onReduced: storeReduced });
  } catch (error) {
    // A caller's object may have getters, or be a proxy, that throw.
    const finding = filterFinding('FLT002', 'arrayOfSchemas', `arrayOfSchemas cannot be read: ${messageOf(error)}`);
    return { ...checkResult([finding]), filteredArrayOfSchemas: [] };
  }
}

function storeReduced(reduced: Record<string, unknown>, original: Record<string, unknown>): void {
  const found = findRecord(original);
  const record = typeof found === 'object' ? found : findOriginalRecord(original);
  const left = reduced.tools ?? reduced.routes;
  if (record === undefined || !isObject(left)) return;
  const tools = new Map([...record.schema.tools].filter(([name]) => Object.hasOwn(left, name)));
  const handlerKeys = record.handlerKeys ?? [...record.schema.tools.keys()];
  storeRecord(reduced, { ...record, handlerKeys, schema: { ...record.schema, tools } });
}

/** The token endpoint of a loaded schema, if its `auth` has one. */
export function tokenEndpointOf({ main }: { main: object | null }): TokenEndpoint | undefined {
  const record = isObject(main) ? findRecord(main) : undefined;
  return typeof record === 'object' ? record.schema.tokenEndpoint : undefined;
}

/** The parsed form of a loaded schema, with the values of its shared lists, and what its handlers do about requests. */
export function parsedSchemaOf({
  main,
}: {
  main: object | null;
}): { schema: Schema; requestHook: ReturnType<typeof requestHooks> } | undefined {
  const record = isObject(main) ? findRecord(main) : undefined;
  return typeof record === 'object' ? { schema: record.schema, requestHook: requestHooks(record) } : undefined;
}
