import { nameTools } from '../format/references/tool-names.ts';

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
