import { createHash } from 'node:crypto';
import { hashValue } from './hash-value.ts';
import { isObject } from './json.ts';
import { mainOf } from './main-of.ts';

/** What can be hashed. One of these. */
export type HashSubject =
  /** A schema: its `main`, or what `loadSchema` returned. Handlers are not in it. */
  | { main: unknown }
  /** One tool of a schema: all that decides what it sends and what it says. */
  | { tool: { main: unknown; name: string } }
  /** A shared list: `{ meta, entries }`. */
  | { list: unknown }
  /** An agent: the ids and hashes of the tools that it takes from schemas. */
  | { agent: { tools: readonly { id: string; hash: string }[] } }
  /** The content of a file, not its path. */
  | { file: string | Uint8Array };

/** The hashes of one subject as `sha256:<hex>`; null where there is none. */
export interface HashForms {
  /** Of canonical JSON (RFC 8785): the order of keys does not matter. Files have none. */
  canonical: string | null;
  /** Of JSON with the keys in the order in which they were written, or of a file's bytes. */
  plain: string | null;
}

interface HashedContent {
  kind: 'main' | 'tool' | 'list' | 'agent' | 'file';
  /** Undefined where the subject is not there. */
  content: unknown;
}

/**
 * Both hashes of a schema, a tool, a list, an agent or a file. The canonical one is ours to write; the plain one is what
 * other programs of this format have written so far.
 */
export function hashForms(subject: HashSubject): HashForms {
  const { kind, content } = attempt(() => hashedContent(subject)) ?? { kind: 'main', content: undefined };
  if (content === undefined) return { canonical: null, plain: null };
  if (kind === 'file') return { canonical: null, plain: sha256(content as string | Uint8Array) };
  return { canonical: attempt(() => hashValue(content)), plain: attempt(() => plainHash(content)) };
}

/** The hash of a schema's `main` (specification 2.7); null where it holds what JSON cannot carry. */
export function hashSchema(main: unknown): string | null {
  return hashForms({ main }).canonical;
}

/** The data that a hash is made from. */
function hashedContent(subject: HashSubject): HashedContent {
  if (!isObject(subject)) return { kind: 'main', content: undefined };
  if ('main' in subject) return { kind: 'main', content: objectOf(mainOf(subject.main)) };
  if ('tool' in subject) return { kind: 'tool', content: toolContent(subject.tool) };
  if ('list' in subject) return { kind: 'list', content: objectOf(subject.list) };
  if ('agent' in subject) return { kind: 'agent', content: agentContent(subject.agent) };
  const { file } = subject;
  return { kind: 'file', content: typeof file === 'string' || file instanceof Uint8Array ? file : undefined };
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined;
}

// The plain form is a hash of text, so these fields keep their order.
function toolContent(subject: unknown): unknown {
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

function agentContent(subject: unknown): unknown {
  const listed: readonly unknown[] = isObject(subject) && Array.isArray(subject.tools) ? [...subject.tools] : [];
  const tools = listed.flatMap((tool) => {
    if (!isObject(tool) || typeof tool.id !== 'string' || typeof tool.hash !== 'string') return [];
    return [{ id: tool.id, hash: tool.hash }];
  });
  if (tools.length === 0 || tools.length < listed.length) return undefined;
  return tools.sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
}

function plainHash(content: unknown): string {
  return sha256(JSON.stringify(content));
}

function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Circles, bigints and half surrogate pairs have no JSON; a program's own object may have getters that throw. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
