import { nameTools } from '../schema/references/tool-names.ts';
import type { Input } from '../schema/schema.ts';

/** The URI template of an address: `schemakit://shop/goods/find{?name,limit}` (RFC 6570, 3.2.8), with percent-encoded names. */
export function uriTemplate(uri: string, inputs: readonly Input[]): string {
  return `${uri}{?${inputs.map(({ name }) => templateName(name)).join(',')}}`;
}

export function templateName(name: string): string {
  const percentEncode = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return encodeURIComponent(name.toWellFormed()).replace(/[-.!~*'()]/g, percentEncode);
}

export function inputName(variable: string): string {
  try {
    return decodeURIComponent(variable);
  } catch {
    return variable; // Not from our template: names no input.
  }
}

/** Whether an address is this URI, with or without arguments. */
export function isAt(uri: string, address: string): boolean {
  return address.startsWith(uri) && /^(?:[?#]|$)/.test(address.slice(uri.length));
}

/**
 * The arguments in an address, as text; `+` is a space, as in forms. Empty text counts as a missing optional argument, because
 * expanding a template leaves it so. A repeated argument is a list, which no input accepts.
 */
export function readUriArguments(address: string, inputs: readonly Input[]): Record<string, string | string[]> {
  const [, query = ''] = /\?([^#]*)/.exec(address) ?? [];
  const given = new URLSearchParams(query);
  const optional = new Set(inputs.flatMap(({ name, z }) => (z.optional ? name : [])));
  const entries = [...new Set(given.keys())].map((name) => {
    const values = given.getAll(name);
    return [name, values.length === 1 ? values.join('') : values] as const;
  });
  return Object.fromEntries(entries.filter(([name, value]) => value !== '' || !optional.has(name)));
}

/** A database or a document among those of several schemas. */
export interface ResourcePlace {
  namespace: string;
  name: string;
  /** The schema's file. It decides which of several resources keeps a name that they share. */
  file?: string;
  /** Names of its queries; none for a document. */
  queries: readonly string[];
}

export interface ResourcePart {
  place: ResourcePlace;
  query?: string;
}

/**
 * URIs of resources: `schemakit://<namespace>/<resource>` for a document, with `/<query>` for a query. They are unique; if the
 * files are known, they do not depend on the order. They have only letters, digits, `_` and `-`, which no client encodes
 * (RFC 3986, 2.3).
 */
export function nameResources<Part extends ResourcePart>(parts: readonly Part[]): ReadonlyMap<Part, string> {
  const uris = placeUris([...new Set(parts.map(({ place }) => place))]);
  return new Map(
    parts.map((part) => {
      const { place, query } = part;
      const uri = uris.get(place) ?? '';
      return [part, query === undefined ? uri : `${uri}/${querySegment(place, query)}`];
    }),
  );
}

function placeUris(places: readonly ResourcePlace[]): ReadonlyMap<ResourcePlace, string> {
  const byAuthority = Map.groupBy(places, ({ namespace }) => plainNames([{ name: namespace }]).join(''));
  const entries = [...byAuthority].flatMap(([authority, members]) => {
    const names = plainNames(members);
    return members.map((place, index) => [place, `schemakit://${authority}/${names[index]}`] as const);
  });
  return new Map(entries);
}

function querySegment({ queries }: ResourcePlace, query: string): string {
  return plainNames(queries.map((name) => ({ name })))[queries.indexOf(query)] ?? '';
}

/** Unique names, made as those of tools are, in the given order. */
function plainNames(places: readonly { name: string; file?: string }[]): string[] {
  const tools = places.map(({ name, file }) => ({
    namespace: '',
    toolName: name,
    ...(file !== undefined && { file }),
  }));
  return nameTools(tools).named.map(({ names }) => names.cli.slice(1));
}
