import { hash } from 'node:crypto';
import type { AnyNode, Program, Token } from 'acorn';
import type { ParsedHandlers } from '../module/parse-handlers.ts';
import { parseBounded } from '../module/parse-module.ts';
import { forEachPart } from '../module/syntax-children.ts';
import { hashSchema, hashValue } from '../schema/hash.ts';
import { isObject } from '../schema/json.ts';
import type { Schema, SharedLists, TokenEndpoint } from '../schema/schema.ts';
import { sorted } from './grants.ts';

/** Identifies the contents of a schema. Hashes are `sha256:<hex>`. */
export interface SchemaPin {
  /** Of `main` as canonical JSON (RFC 8785). */
  main: string;
  /** Of the handlers and all code that they reach, without comments; null without handlers. */
  handlers: string | null;
  /** Of the entries of each shared list, as filtered for the schema. */
  lists: Readonly<Record<string, string>>;
  /** What the user saw when trusting it; later changes are described against it. */
  seen: SchemaSummary;
}

/** The parts of a schema that matter for trust. */
export interface SchemaSummary {
  /** As written; may contain placeholders. */
  root: string;
  /** Server parameters that it requires. */
  secrets: readonly string[];
  /** Where some of them go instead of the root, or besides it. Absent if there is none. */
  tokenEndpoint?: TokenEndpoint;
  libraries: readonly string[];
  /** `tool.hook`; null if they are computed. */
  hooks: readonly string[] | null;
  /** Hosts of URLs in the code of handlers; `*` for a computed part. */
  hosts: readonly string[];
  /** Short hashes of the tools, as `tools.<name>`, and of the other fields of `main`. */
  parts: Readonly<Record<string, string>>;
}

export interface PinnedParts {
  main: unknown;
  schema: Schema;
  handlers: ParsedHandlers | undefined;
  sharedLists: SharedLists;
}

const loaded = new WeakMap<object, PinnedParts>();

/** Stores the pinned parts of a loaded schema by its `main`. Hashes are computed on demand. */
export function rememberPinnedParts(main: object, parts: PinnedParts): void {
  loaded.set(main, parts);
}

export function pinnedParts(main: object): PinnedParts | undefined {
  return loaded.get(main);
}

export type PinHashes = Pick<SchemaPin, 'main' | 'handlers' | 'lists'>;

export function pinHashes({ main, handlers, sharedLists }: PinnedParts): PinHashes {
  return {
    // `main` was read from text or JSON, so it always has a hash.
    main: hashSchema(main) ?? '',
    handlers: handlers === undefined ? null : hashCode(readCode(handlers.source())),
    lists: Object.fromEntries(Object.entries(sharedLists).map(([name, entries]) => [name, hashValue(entries)])),
  };
}

export function schemaPin(parts: PinnedParts): SchemaPin {
  return { ...pinHashes(parts), seen: seenIn(parts) };
}

function seenIn({ main, schema, handlers }: PinnedParts): SchemaSummary {
  const toolSecrets = [...schema.tools.values()].flatMap(({ secrets }) => secrets);
  const names = handlers?.names ?? {};
  const hooks = Object.entries(names).flatMap(([tool, hooks]) => hooks.map((hook) => `${tool}.${hook}`));
  return {
    root: schema.root,
    secrets: sorted([...schema.requiredServerParams, ...toolSecrets]),
    ...(schema.tokenEndpoint && { tokenEndpoint: schema.tokenEndpoint }),
    libraries: sorted(schema.requiredLibraries),
    hooks: handlers !== undefined && handlers.names === undefined ? null : sorted(hooks),
    hosts: handlers === undefined ? [] : sorted(hostsIn(readCode(handlers.source()))),
    parts: Object.fromEntries(partsOf(main)),
  };
}

// In the summary as they are.
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

/** Enough to name what changed; the whole hash decides whether anything did. */
function shortHash(value: unknown): string {
  return hash('sha256', hashValue(value)).slice(0, 16);
}

interface HandlerCode {
  source: string;
  program: Program;
  tokens: readonly Token[];
}

/** Parses the code of handlers. It was printed from a syntax tree, so it has no errors. */
export function readCode(source: string): HandlerCode {
  const tokens: Token[] = [];
  const program = parseBounded(source, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: (token) => tokens.push(token),
  });
  return { source, program, tokens };
}

/**
 * The hash of code by the tokens of its statements and the line breaks between them, which can end a statement. Comments,
 * indentation and the kind of line ending do not matter: a checkout or an edit elsewhere in the file may change them.
 */
export function hashCode({ source, program, tokens }: HandlerCode): string {
  const texts: string[][] = [];
  let next = 0;
  for (const { type, start, end } of program.body) {
    const first = next;
    while ((tokens[next]?.start ?? end) < end) next += 1;
    // Removed statements left semicolons.
    if (type !== 'EmptyStatement') texts.push(textsOf(source, tokens.slice(first, next), start));
  }
  return `sha256:${hash('sha256', JSON.stringify(texts))}`;
}

function textsOf(source: string, tokens: readonly Token[], start: number): string[] {
  const texts: string[] = [];
  let last = start;
  for (const token of tokens) {
    if (/[\n\r\u2028\u2029]/.test(source.slice(last, token.start))) texts.push('\n');
    texts.push(source.slice(token.start, token.end).replace(/\r\n?/g, '\n'));
    last = token.end;
  }
  return texts;
}

/** The hosts of http(s) URLs in code, with `*` for computed parts. Code can hide others. */
export function hostsIn({ program }: HandlerCode): string[] {
  const hosts = new Set<string>();
  const take = (text: string) => {
    for (const [, host = ''] of text.matchAll(/https?:\/\/([^\s/?#\\"'`<>]*)/gi)) {
      hosts.add(host === '' ? '*' : host.slice(host.lastIndexOf('@') + 1).toLowerCase());
    }
  };
  const visit = (node: AnyNode): void => {
    if (node.type === 'Literal' && typeof node.value === 'string') take(node.value);
    if (node.type === 'TemplateLiteral') take(node.quasis.map(({ value }) => value.cooked ?? value.raw).join('*'));
    forEachPart(node, visit);
  };
  visit(program);
  return [...hosts];
}
