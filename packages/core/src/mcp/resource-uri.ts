import { nameTools } from '../schema/references/tool-names.ts';
import type { Input } from '../schema/schema.ts';

/**
 * The address with its arguments as a template: `schemakit://shop/goods/find{?name,limit}` (RFC 6570, 3.2.8). Where a name has
 * characters that names in templates may not have, they are percent-encoded.
 */
export function uriTemplate(uri: string, inputs: readonly Input[]): string {
  return `${uri}{?${inputs.map(({ name }) => templateName(name)).join(',')}}`;
}

/** The name of an input in a template. */
export function templateName(name: string): string {
  const percentEncode = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return encodeURIComponent(name.toWellFormed()).replace(/[-.!~*'()]/g, percentEncode);
}

/** The name that stands in a template for an input. */
export function inputName(variable: string): string {
  try {
    return decodeURIComponent(variable);
  } catch {
    return variable; // Not made by a template of ours: it names no input.
  }
}

/** Tells whether an address is this one, with arguments or without. */
export function isAt(uri: string, address: string): boolean {
  return address.startsWith(uri) && /^(?:[?#]|$)/.test(address.slice(uri.length));
}

/**
 * The arguments in an address, as text; a `+` is a space, as forms send it. An empty text stands for an optional argument that
 * is not given: filling in a template leaves it so. What is given several times is a list, which no input takes.
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
  /** The schema's file. Which of several resources keeps a name that all would have depends on it. */
  file?: string;
  /** Names of its queries; none for a document. */
  queries: readonly string[];
}

/** A document, or one query of a database. */
export interface ResourcePart {
  place: ResourcePlace;
  query?: string;
}

/**
 * Addresses of resources: `schemakit://<namespace>/<resource>` for a document, with `/<query>` for a query. No two parts share
 * one; where the files are known, they do not depend on the order. They have only letters, digits, `_` and `-`, which every
 * client leaves as they are (RFC 3986, 2.3).
 */
export function nameResources<Part>(
  parts: readonly Part[],
  placeOf: (part: Part) => ResourcePart,
): ReadonlyMap<Part, string> {
  const uris = placeUris([...new Set(parts.map((part) => placeOf(part).place))]);
  return new Map(
    parts.map((part) => {
      const { place, query } = placeOf(part);
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

/** Names that are kept apart as those of tools are, in the order in which they came. */
function plainNames(places: readonly { name: string; file?: string }[]): string[] {
  const tools = places.map(({ name, file }) => ({
    namespace: '',
    toolName: name,
    ...(file !== undefined && { file }),
  }));
  return nameTools(tools).named.map(({ names }) => names.cli.slice(1));
}
