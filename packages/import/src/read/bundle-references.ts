import type { Finding } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import { joinPointer } from './json-pointer.ts';
import { type JsonObject, parseText } from './read-document.ts';

/** Why a document was not read, and what to do about it. */
export interface UnreadDocument {
  message: string;
  hint: string;
}

export interface BundleOptions {
  /** The address of the document, to which its references are relative: `https:` or `file:`. */
  base: string;
  /** Reads another document. `url` is where it was in the end; `base` if there was no redirect. Never throws. */
  read(url: string): Promise<{ ok: true; text: string; url?: string } | ({ ok: false } & UnreadDocument)>;
  /** Largest number of other documents. Default 1,000. */
  maxDocuments?: number;
  /** Largest sum of their characters. Default 50 Mi. */
  maxCharacters?: number;
  /** How many references one after another lead from the document to another. Default 20. */
  maxDepth?: number;
}

export interface Bundle {
  /** The document with all others in it; the text itself if it refers to none. */
  source: string | object;
  /** Documents that were not read, by their addresses, for `importOpenApi`. */
  unread: Record<string, UnreadDocument>;
  /** How many other documents were read. */
  documents: number;
}

/** Where other documents are in the bundle. Extensions stay as they are when a document is upgraded. */
const holder = 'x-documents';

/**
 * Reads the documents that an OpenAPI document refers to, and those that they refer to, and puts them into it. References then lead to parts of
 * the same document, also where documents refer to each other. Fails only if the document itself cannot be parsed. Never throws.
 *
 * @example
 * const { documents } = await bundleReferences('{"paths":{"/pets":{"$ref":"pets.json"}}}', {
 *   base: 'https://pets.example.com/openapi.json',
 *   read: async (url) => ({ ok: true, text: JSON.stringify({ get: { summary: url } }) }),
 * });
 * console.log(documents); // 1
 */
export async function bundleReferences(
  text: string,
  { base, read, maxDocuments = 1000, maxCharacters = 50 * 2 ** 20, maxDepth = 20 }: BundleOptions,
): Promise<Bundle & { finding?: Finding }> {
  const nothing: Bundle = { source: text, unread: {}, documents: 0 };
  // Most documents are one file; the large ones need not be parsed twice.
  if (!/\$ref["']?\s*:\s*["']?[^\s"'#]/.test(text)) return nothing;
  const parsed = parseText(text);
  if (!parsed.ok) return { ...nothing, finding: parsed.finding };
  if (!isObject(parsed.value)) return nothing;
  const root = parsed.value;
  const documents = new Map<string, unknown>();
  const unread: Record<string, UnreadDocument> = {};
  /** Addresses that were met: the place of the document in the bundle, or undefined if it is not there. */
  const places = new Map<string, string | undefined>([
    [URL.canParse(base) ? withoutUser(new URL(base)).href : base, ''],
  ]);
  let characters = 0;
  let level = [{ value: root as unknown, url: base, place: '' }];
  for (let depth = 1; level.length > 0; depth++) {
    const found = level.flatMap((document) => referencesIn(document.value, document));
    const next: typeof level = [];
    for (const url of new Set(found.map((reference) => reference.document))) {
      if (places.has(url)) continue;
      const opened = await open(url, depth);
      if ('value' in opened) {
        let name = relativeName(opened.url, base);
        for (let number = 2; documents.has(name); number++) name = `${relativeName(opened.url, base)}-${number}`;
        documents.set(name, opened.value);
        const place = joinPointer('', holder, name);
        places.set(url, place);
        next.push({ value: opened.value, url: opened.url, place });
      } else {
        places.set(url, undefined);
        unread[url] = opened;
      }
    }
    for (const { set, document, fragment } of found) {
      const place = places.get(document);
      set(place === undefined ? `${document}#${fragment}` : `#${encodeURI(place)}${fragment}`);
    }
    level = next;
  }
  const { size } = documents;
  return { source: size === 0 ? root : { ...root, [holder]: Object.fromEntries(documents) }, unread, documents: size };

  async function open(url: string, depth: number): Promise<{ value: unknown; url: string } | UnreadDocument> {
    const hint = 'Bundle the document into one file first, for example with `npx @redocly/cli bundle`.';
    const limit =
      depth > maxDepth
        ? `references lead over more than ${maxDepth} documents`
        : documents.size >= maxDocuments
          ? `the document refers to more than ${maxDocuments} others`
          : undefined;
    if (limit !== undefined) return { message: limit, hint };
    const answer = await read(url);
    if (!answer.ok) return { message: answer.message, hint: answer.hint };
    characters += answer.text.length;
    if (characters > maxCharacters) return { message: 'the documents that are referred to are too large', hint };
    const other = parseText(answer.text);
    if (other.ok) return { value: other.value, url: answer.url ?? url };
    const { message, hint: own = hint } = other.finding;
    return { message: `${relativeName(url, base)}: ${message}`, hint: own };
  }
}

interface FoundReference {
  /** The address of the document that it leads to. */
  document: string;
  fragment: string;
  set(reference: string): void;
}

/** Objects in which every key is a name that the author gave, so that none of them is a field of OpenAPI. */
const named =
  /^(properties|patternProperties|schemas|definitions|\$defs|dependentSchemas|parameters|responses|examples|requestBodies|headers|securitySchemes|links|callbacks|pathItems|paths|webhooks)$/;
/** Fields whose value is data: a `$ref` in it is not a reference. */
const data = /^(example|value|dataValue|enum|const)$/;

/** The references of a document that lead elsewhere in the bundle. Relative servers of other documents become absolute. */
function referencesIn(document: unknown, { url, place }: { url: string; place: string }): FoundReference[] {
  const found: FoundReference[] = [];
  // YAML may have the same object at several places.
  const seen = new Set<object>();
  const nodes: { value: unknown; hasNames: boolean }[] = [{ value: document, hasNames: place !== '' }];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const { value, hasNames } = node;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    const object = value as JsonObject;
    add(object, '$ref');
    const { mapping, servers } = object;
    if (typeof object.propertyName === 'string' && isObject(mapping)) {
      for (const [kind, target] of Object.entries(mapping)) if (/[#/.]/.test(String(target))) add(mapping, kind);
    }
    if (place !== '' && Array.isArray(servers)) servers.filter(isObject).forEach(placeServer);
    // The last in is the first out.
    for (const [key, child] of Object.entries(object).toReversed()) {
      const isData = !hasNames && !Array.isArray(value) && data.test(key);
      if (!isData) nodes.push({ value: child, hasNames: !hasNames && named.test(key) && isObject(child) });
    }
  }
  return found;

  function add(object: JsonObject, key: string): void {
    const reference = object[key];
    if (typeof reference !== 'string' || (place === '' && reference.startsWith('#'))) return;
    const target = URL.parse(reference, url);
    if (target === null) return;
    const { hash } = target;
    target.hash = '';
    const set = (changed: string) => {
      object[key] = changed;
    };
    found.push({ document: withoutUser(target).href, fragment: hash.slice(1), set });
  }

  function placeServer(server: JsonObject): void {
    if (typeof server.url !== 'string' || !url.startsWith('http') || !/^\.{0,2}\//.test(server.url)) return;
    const absolute = URL.parse(server.url, url)?.href ?? server.url;
    server.url = absolute.replaceAll('%7B', '{').replaceAll('%7D', '}');
  }
}

/** What the user wrote into the address of the document is not for others. */
function withoutUser(url: URL): URL {
  return Object.assign(new URL(url), { username: '', password: '' });
}

/** The name of a document as it would be written beside the first one: `schemas/pet.yaml`. */
function relativeName(url: string, base: string): string {
  const folder = base.replace(/[?#].*$/, '').replace(/[^/]*$/, '');
  const path = url.replace(/[?#].*$/, '');
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}
