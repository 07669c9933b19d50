import { hashValue } from '../format/hash-value.ts';
import type { Schema } from '../format/schema.ts';
import type { HandlerProgram } from '../handlers/handler-program.ts';
import type { HookFunction, ToolHooks } from '../handlers/run-hook.ts';

/** The hooks of a schema by tool; empty when it has none. */
export type HandlerMap = Readonly<Record<string, ToolHooks | Record<string, HookFunction | null>>>;

/** What a program or a user allows a schema beyond the rules (nothing by default). */
export interface Grants {
  /** Origins that handlers may reach beside the schema's root; a host label `*` stands for one label. `any`: every public address. */
  network?: readonly string[] | 'any';
  /** Server parameters whose values, not tokens, handlers may read, for example to sign requests. */
  secrets?: readonly string[];
}

/** Everything about a schema that its `main` alone does not hold. */
export interface SchemaRecord {
  schema: Schema;
  file?: string;
  handlerMap: HandlerMap;
  /** Present when the hook names can only be known by running the factory. */
  program?: HandlerProgram;
  grants: Grants;
  /** Whether the root's origin is approved even where it is private: true for what a user or a program names itself. */
  approveRoot: boolean;
}

interface Kept {
  record: SchemaRecord;
  /** What calls depend on, to notice a `main` that was changed after it was loaded. */
  root: unknown;
  headers: string;
  tools: unknown;
}

const maxCopies = 2000;
const byIdentity = new WeakMap<object, Kept>();
const byHash = new Map<string, SchemaRecord>();

/** Keeps the record of a loaded `main`, for itself and for copies that are equal to it. */
export function keepRecord(main: object, record: SchemaRecord): void {
  byIdentity.set(main, keptFor(main, record));
  // Only what `main` cannot say by itself is worth finding again from a copy.
  const needed = Object.keys(record.handlerMap).length > 0 || record.program || record.schema.sharedLists.length > 0;
  if (!needed) return;
  const hash = hashValue(main);
  byHash.delete(hash);
  byHash.set(hash, record);
  const [oldest] = byHash.keys();
  if (byHash.size > maxCopies && oldest !== undefined) byHash.delete(oldest);
}

/** The record of a `main` that was loaded and not changed since, or of one that is equal to it. */
export function findRecord(main: object): SchemaRecord | undefined {
  const kept = byIdentity.get(main);
  if (kept) return isUnchanged(main, kept) ? kept.record : undefined;
  const record = byHash.size > 0 ? byHash.get(hashValue(main)) : undefined;
  if (record) byIdentity.set(main, keptFor(main, record));
  return record;
}

/** The record of a `main` as it was loaded, even if it was changed since. */
export function findOriginalRecord(main: object): SchemaRecord | undefined {
  return byIdentity.get(main)?.record;
}

function keptFor(main: object, record: SchemaRecord): Kept {
  const { root, headers, tools, routes } = main as Record<string, unknown>;
  return { record, root, headers: JSON.stringify(headers ?? {}), tools: tools ?? routes };
}

function isUnchanged(main: object, kept: Kept): boolean {
  const { root, headers, tools, routes } = main as Record<string, unknown>;
  if (root !== kept.root || (tools ?? routes) !== kept.tools) return false;
  return JSON.stringify(headers ?? {}) === kept.headers;
}
