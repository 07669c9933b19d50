import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type CheckResult, checkResult, type Finding, makeFinding } from './finding.ts';
import { isObject } from './json.ts';
import { mainOf } from './main-of.ts';

/** sha256 of a value's canonical JSON (RFC 8785) as `sha256:<hex>`. Throws where JSON cannot carry the value. */
export function hashValue(value: unknown): string {
  return sha256(canonicalize(value) ?? '');
}

export type HashSubject =
  /** A schema: its `main`, or the result of `loadSchema`. Handlers are not included. */
  | { main: unknown }
  /** One tool of a schema, with everything that determines its requests. */
  | { tool: { main: unknown; name: string } }
  /** A shared list: `{ meta, entries }`. */
  | { list: unknown }
  /** An agent: the ids and hashes of the tools that it takes from schemas. */
  | { agent: { tools: readonly { id: string; hash: string }[] } }
  | { file: string | Uint8Array };

/** The hashes as `sha256:<hex>`; null if there is none. */
export interface HashForms {
  /** Of canonical JSON (RFC 8785): the order of keys does not matter. Files have none. */
  canonical: string | null;
  /** Of JSON with the keys in the order in which they were written, or of a file's bytes. */
  plain: string | null;
}

/**
 * Both hashes of a schema, a tool, a list, an agent or a file. We write the canonical one; other programs of this
 * format write the plain one.
 *
 * @example
 * const { canonical, plain } = hashForms({ file: 'text' });
 * console.log(canonical, plain?.slice(0, 7)); // null sha256:
 */
export function hashForms(subject: HashSubject): HashForms {
  const content = attempt(() => contentOf(subject)) ?? undefined;
  if (content === undefined) return { canonical: null, plain: null };
  if (typeof content === 'string' || content instanceof Uint8Array) return { canonical: null, plain: sha256(content) };
  return { canonical: attempt(() => hashValue(content)), plain: attempt(() => sha256(JSON.stringify(content))) };
}

/**
 * Null if it cannot be written as JSON.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * console.log(hashSchema(schema)?.slice(0, 7)); // sha256:
 */
export function hashSchema(main: unknown): string | null {
  return hashForms({ main }).canonical;
}

/** The data to hash, or the bytes of a file. Undefined if missing. */
function contentOf(subject: HashSubject): object | string | undefined {
  if (!isObject(subject)) return undefined;
  if ('main' in subject) return objectOf(mainOf(subject.main));
  if ('tool' in subject) return toolContent(subject.tool);
  if ('list' in subject) return objectOf(subject.list);
  if ('agent' in subject) return agentContent(subject.agent);
  const { file } = subject;
  return typeof file === 'string' || file instanceof Uint8Array ? file : undefined;
}

function objectOf(value: unknown): object | undefined {
  return isObject(value) && !(value instanceof Uint8Array) ? value : undefined;
}

// The plain form hashes text, so the order of these fields matters.
function toolContent(subject: unknown): object | undefined {
  if (!isObject(subject) || typeof subject.name !== 'string') return undefined;
  const main = mainOf(subject.main);
  const tools = isObject(main) ? (main.tools ?? main.routes) : undefined;
  const tool = isObject(tools) && Object.hasOwn(tools, subject.name) ? tools[subject.name] : undefined;
  if (!isObject(main) || !isObject(tool)) return undefined;
  const { method, path, parameters, output } = tool;
  const lists: readonly unknown[] = Array.isArray(main.sharedLists) ? main.sharedLists : [];
  return {
    namespace: main.namespace,
    version: main.version,
    tool: { name: subject.name, method, path, parameters, output },
    sharedListRefs: lists.map((list) => (isObject(list) ? { ref: list.ref, version: list.version } : { ref: list })),
  };
}

function agentContent(subject: unknown): object | undefined {
  const listed: readonly unknown[] = isObject(subject) && Array.isArray(subject.tools) ? [...subject.tools] : [];
  const tools = listed.flatMap((tool) => {
    if (!isObject(tool) || typeof tool.id !== 'string' || typeof tool.hash !== 'string') return [];
    return [{ id: tool.id, hash: tool.hash }];
  });
  if (tools.length === 0 || tools.length < listed.length) return undefined;
  return tools.sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
}

function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Null for circular references, bigints, lone surrogates and throwing getters. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Rules about hashes, by code: how severe a breach is, and what the rule asks for. */
export const hashCodes = {
  HSH001: ['error', 'A hash is `sha256:` followed by 64 hexadecimal digits.'],
  HSH002: ['error', 'Content has the recorded hash.'],
  HSH003: ['error', 'Exactly one of `main`, `tool`, `list`, `agent` and `file` is given, and can be written as JSON.'],
} as const;

export interface HashVerification extends CheckResult {
  /** The form of the given hash; null if `status` is false. */
  form: 'canonical' | 'plain' | null;
  /** The actual hashes of the content. */
  found: HashForms;
}

/**
 * Compares content with a recorded hash: canonical or plain, with or without `sha256:`.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const result = verifyHash({ main: schema.main, hash: hashSchema(schema) ?? '' });
 * console.log(result.status); // true
 */
export function verifyHash(options: HashSubject & { hash: string }): HashVerification {
  const subject: unknown = options;
  const named = isObject(subject) ? kinds.filter((kind) => subject[kind] !== undefined) : [];
  const found = named.length === 1 ? hashForms(options) : { canonical: null, plain: null };
  const expected = parseHash(isObject(subject) ? subject.hash : undefined);
  const form = expected === undefined ? null : formOf(expected, found);
  const finding = form === null ? problemOf(named, found, expected) : undefined;
  return { ...checkResult(finding ? [finding] : []), form, found };
}

const kinds = ['main', 'tool', 'list', 'agent', 'file'] as const;

function parseHash(hash: unknown): string | undefined {
  const digits = typeof hash === 'string' ? /^\s*(?:sha256:)?([0-9a-f]{64})\s*$/i.exec(hash)?.[1] : undefined;
  return digits === undefined ? undefined : `sha256:${digits.toLowerCase()}`;
}

function formOf(expected: string, { canonical, plain }: HashForms): HashVerification['form'] {
  if (expected === canonical) return 'canonical';
  return expected === plain ? 'plain' : null;
}

function problemOf(named: readonly string[], { canonical, plain }: HashForms, expected: string | undefined): Finding {
  const [kind = ''] = named;
  if (named.length !== 1) {
    const message = `verifyHash needs one of ${kinds.join(', ')}, got ${named.join(', ') || 'none'}`;
    return makeFinding(hashCodes, 'HSH003', '', message);
  }
  if (plain === null && canonical === null) {
    const message = `${kind} cannot be hashed: it is missing or cannot be written as JSON`;
    return makeFinding(hashCodes, 'HSH003', kind, message);
  }
  if (expected === undefined)
    return makeFinding(hashCodes, 'HSH001', 'hash', 'hash must be sha256: followed by 64 hexadecimal digits');
  const forms = [canonical, plain].filter((hash) => hash !== null);
  const message = `the hash of ${kind} does not match: expected ${expected}, found ${forms.join(' or ')}`;
  const hint = 'It changed since the hash was recorded. Review the change, then record the new hash.';
  return makeFinding(hashCodes, 'HSH002', kind, message, hint);
}
