import MiniSearch from 'minisearch';
import type { ServedTool } from '../offer/offer.ts';

/** Finds tools by words: in their names, tags, parameters and descriptions, with misspellings and beginnings of words. */
export interface SearchIndex {
  /** The best matches first. */
  search(query: string, limit: number): { tools: ServedTool[]; total: number };
}

export function createSearchIndex(tools: readonly ServedTool[]): SearchIndex {
  const index = new MiniSearch<{ id: number; name: string; tags: string; parameters: string; description: string }>({
    fields: ['name', 'tags', 'parameters', 'description'],
    tokenize: words,
    searchOptions: {
      boost: { name: 4, tags: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 3 ? 0.2 : false),
    },
  });
  index.addAll(
    tools.map(({ listing, tags }, id) => ({
      id,
      name: `${listing.name} ${listing.title}`,
      tags: tags.join(' '),
      parameters: Object.keys(Object(listing.inputSchema.properties)).join(' '),
      description: listing.description,
    })),
  );
  return {
    search(query, limit) {
      // What has every word comes first; where nothing has, what has some of them is better than nothing.
      const all = index.search(query, { combineWith: 'AND' });
      const found = all.length > 0 ? all : index.search(query);
      return { tools: found.slice(0, limit).flatMap(({ id }) => tools[id] ?? []), total: found.length };
    },
  };
}

/** `searchPlants`, `search_plants` and `search plants` are the same words. */
function words(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
