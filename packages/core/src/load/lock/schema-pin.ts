import { hash } from 'node:crypto';
import { hashSchema } from '../../format/hash-forms.ts';
import { hashValue } from '../../format/hash-value.ts';
import { isObject } from '../../format/json.ts';
import type { Schema } from '../../format/schema.ts';
import type { HandlersReading } from '../../module/read-module.ts';
import type { SharedLists } from '../lists/shared-lists.ts';
import { hashCode, hostsIn, readCode } from './handler-code.ts';

/** By what a schema is known again. Hashes are `sha256:<hex>`. */
export interface SchemaPin {
  /** Of `main` as canonical JSON (RFC 8785). */
  main: string;
  /** Of the handlers and all code that they reach, without comments; null where there are none. */
  handlers: string | null;
  /** Of the entries that the schema gets from each shared list. */
  lists: Readonly<Record<string, string>>;
  /** What a person sees who decides; kept so that a later change can be put into words. */
  seen: SeenSchema;
}

/** A schema in a few words. */
export interface SeenSchema {
  /** As written; may hold placeholders. */
  root: string;
  /** Server parameters that it asks for. */
  secrets: readonly string[];
  libraries: readonly string[];
  /** `tool.hook`; null where only running the factory can tell. */
  hooks: readonly string[] | null;
  /** Hosts of addresses that stand in the code of handlers; `*` for a part that is computed. */
  hosts: readonly string[];
  /** Short hashes of the tools, as `tools.<name>`, and of the other fields of `main`. */
  parts: Readonly<Record<string, string>>;
}

/** What a pin is made from. */
export interface PinnedParts {
  main: unknown;
  schema: Schema;
  handlers: HandlersReading | undefined;
  sharedLists: SharedLists;
}

/** The part of a pin that decides. */
export type PinHashes = Pick<SchemaPin, 'main' | 'handlers' | 'lists'>;

/** The hashes of a schema: what a lock file holds it to. */
export function pinHashes({ main, handlers, sharedLists }: PinnedParts): PinHashes {
  return {
    // `main` was read from text or came as JSON, so that it always has a hash.
    main: hashSchema(main) ?? '',
    handlers: handlers === undefined ? null : hashCode(readCode(handlers.source)),
    lists: Object.fromEntries(Object.entries(sharedLists).map(([name, entries]) => [name, hashValue(entries)])),
  };
}

/** The whole pin of a schema. */
export function schemaPin(parts: PinnedParts): SchemaPin {
  return { ...pinHashes(parts), seen: seenIn(parts) };
}

function seenIn({ main, schema, handlers }: PinnedParts): SeenSchema {
  const toolSecrets = [...schema.tools.values()].flatMap(({ secrets }) => secrets);
  const names = handlers?.names ?? {};
  const hooks = Object.entries(names).flatMap(([tool, hooks]) => hooks.map((hook) => `${tool}.${hook}`));
  return {
    root: schema.root,
    secrets: sorted([...schema.requiredServerParams, ...toolSecrets]),
    libraries: sorted(schema.requiredLibraries),
    hooks: handlers !== undefined && handlers.names === undefined ? null : sorted(hooks),
    hosts: handlers === undefined ? [] : sorted(hostsIn(readCode(handlers.source))),
    parts: Object.fromEntries(partsOf(main)),
  };
}

// Shown as they are.
const inWords = ['root', 'requiredServerParams', 'requiredLibraries'];

function partsOf(main: unknown): [string, string][] {
  if (!isObject(main)) return [];
  const key = main.tools === undefined ? 'routes' : 'tools';
  const tools = isObject(main[key]) ? Object.entries(main[key]) : [];
  const fields = Object.entries(main).filter(([name]) => name !== key && !inWords.includes(name));
  return [
    ...tools.map(([name, tool]): [string, string] => [`tools.${name}`, shortHash(tool)]),
    ...fields.map(([name, value]): [string, string] => [name, shortHash(value)]),
  ];
}

/** Enough to tell what changed; whether anything did is for the whole hash to say. */
function shortHash(value: unknown): string {
  return hash('sha256', hashValue(value)).slice(0, 16);
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
