import type { Grants } from '../lock/grants.ts';
import type { HandlerProgram } from '../sandbox/handler-program.ts';
import type { HookFunction, ToolHooks } from '../sandbox/run-hook.ts';
import {
  type FilteredSchemas,
  type FilterSchemasOptions,
  filterFinding,
  filterSchemas,
} from '../schema/filter-schemas.ts';
import { checkResult } from '../schema/finding.ts';
import { hashValue } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import type { Prompt } from '../schema/prompts/prompt.ts';
import type { Schema } from '../schema/schema.ts';

/** The hooks of a schema by tool; empty when it has none. */
export type HandlerMap = Readonly<Record<string, ToolHooks | Record<string, HookFunction | null>>>;

/** Everything about a schema that its `main` alone does not hold. */
export interface SchemaRecord {
  schema: Schema;
  file?: string;
  handlerMap: HandlerMap;
  /** What the schema's handlers do with rows, by resource and query. */
  rowsHooks: Readonly<Record<string, Readonly<Record<string, HookFunction>>>>;
  /** Names of tools that handlers may be for, where a filter left fewer tools. */
  handlerKeys?: readonly string[];
  /** Skills and prompts with their texts. */
  prompts: readonly Prompt[];
  /** Present when the hook names can only be known by running the factory. */
  program?: HandlerProgram;
  grants: Grants;
  /** Whether the root's origin is approved even where it is private: true for what a user or a program names itself. */
  approveRoot: boolean;
}

interface Kept {
  record: SchemaRecord;
  /** What calls depend on, to notice a `main` that was changed after it was loaded. */
  parts: readonly unknown[];
}

/** A record that an equal `main` leads to. Hashes wait for the first copy that is looked for: most programs never pass one. */
interface KeptForCopies {
  record: SchemaRecord;
  main: Record<string, unknown>;
  hash?: string | undefined;
}

const maxCopies = 2000;
const byIdentity = new WeakMap<object, Kept>();
/** Copies with other fields share the object of their tools. */
const byTools = new WeakMap<object, SchemaRecord>();
const forCopies: KeptForCopies[] = [];

/**
 * Keeps the record of a loaded `main`, for itself and for copies of it.
 *
 * @param read - What `main` is a copy of, where that is kept anyway: then nothing holds on to `main` itself.
 */
export function keepRecord(
  main: Record<string, unknown>,
  record: SchemaRecord,
  read: Record<string, unknown> = main,
): void {
  byIdentity.set(main, { record, parts: partsOf(main) });
  const tools = main.tools ?? main.routes;
  if (isObject(tools)) byTools.set(tools, record);
  if (!holdsMoreThanMain(record)) return;
  forCopies.push({ record, main: read });
  if (forCopies.length > maxCopies) forCopies.shift();
}

/** `several`: files with this `main` and different handlers, which a copy cannot tell apart. */
function findForCopy(main: Record<string, unknown>): SchemaRecord | 'several' | undefined {
  const hash = forCopies.length > 0 ? hashOf(main) : undefined;
  if (hash === undefined) return undefined;
  const equal = forCopies.filter((kept) => {
    kept.hash ??= hashOf(kept.main);
    return kept.hash === hash;
  });
  const record = equal.at(-1)?.record;
  return equal.some((kept) => kept.record.file !== record?.file) ? 'several' : record;
}

/** A `main` with half a surrogate pair in it, or one that was changed to hold what JSON cannot carry, has no hash and no copies. */
function hashOf(main: Record<string, unknown>): string | undefined {
  try {
    return hashValue(main);
  } catch {
    return undefined;
  }
}

/** Only what `main` cannot say by itself is worth finding again from a copy. */
function holdsMoreThanMain({ handlerMap, program, schema, grants, approveRoot }: SchemaRecord): boolean {
  const hasHandlers = Object.keys(handlerMap).length > 0 || program !== undefined;
  return hasHandlers || schema.sharedLists.length > 0 || Object.keys(grants).length > 0 || !approveRoot;
}

/** The record of a `main` that was loaded and not changed since, or of one that is equal to it. */
export function findRecord(main: Record<string, unknown>): SchemaRecord | 'several' | undefined {
  const kept = byIdentity.get(main);
  if (kept) {
    const parts = partsOf(main);
    const isUnchanged = parts.length === kept.parts.length && parts.every((part, index) => part === kept.parts[index]);
    return isUnchanged ? kept.record : undefined;
  }
  const record = findForCopy(main);
  if (typeof record === 'object') byIdentity.set(main, { record, parts: partsOf(main) });
  return record;
}

/** The record that a `main` had before it was changed, or that of the one whose tools it took over. */
export function findOriginalRecord(main: Record<string, unknown>): SchemaRecord | undefined {
  const tools = main.tools ?? main.routes;
  return byIdentity.get(main)?.record ?? (isObject(tools) ? byTools.get(tools) : undefined);
}

/** Root, headers and, for each tool, what its requests are made from; compared by identity, since this happens at each call. */
function partsOf({ root, headers, tools, routes }: Record<string, unknown>): unknown[] {
  const definitions = tools ?? routes;
  const parts = [root, definitions, ...(isObject(headers) ? Object.values(headers) : [])];
  for (const tool of isObject(definitions) ? Object.values(definitions) : []) {
    parts.push(tool);
    if (isObject(tool)) parts.push(tool.path, tool.method, tool.parameters);
  }
  return parts;
}

/** Tells of which tools of a loaded schema a handler makes the request, as far as that is known before the factory has run. */
export function ownRequests({ handlerMap, program }: SchemaRecord): (toolName: string) => boolean {
  return (name) =>
    program !== undefined || (Object.hasOwn(handlerMap, name) && handlerMap[name]?.executeRequest != null);
}

/** Filters schemas; what is left of one keeps what was loaded with it: its handlers, lists and grants. */
export function filterArrayOfSchemas<T>(options: FilterSchemasOptions<T>): FilteredSchemas<T> {
  try {
    return filterSchemas({ ...options, onReduced: keepReduced });
  } catch (error) {
    // A program's own object may have getters or be a proxy that throws.
    const reason = error instanceof Error ? error.message : String(error);
    const finding = filterFinding('FLT002', 'arrayOfSchemas', `arrayOfSchemas cannot be read: ${reason}`);
    return { ...checkResult([finding]), filteredArrayOfSchemas: [] };
  }
}

function keepReduced(reduced: Record<string, unknown>, original: Record<string, unknown>): void {
  const found = findRecord(original);
  const record = typeof found === 'object' ? found : findOriginalRecord(original);
  const left = reduced.tools ?? reduced.routes;
  if (record === undefined || !isObject(left)) return;
  const tools = new Map([...record.schema.tools].filter(([name]) => Object.hasOwn(left, name)));
  const handlerKeys = record.handlerKeys ?? [...record.schema.tools.keys()];
  keepRecord(reduced, { ...record, handlerKeys, schema: { ...record.schema, tools } });
}
