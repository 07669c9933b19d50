import { numberedName } from '../schema/references/tool-names.ts';

/** Something that stands on a server under a name. */
interface Named {
  listing: { name: string };
}

/** What became of entries that were to be registered. */
export interface Distinct<Entry extends Named> {
  /** What the server gave for each, by name. */
  registered: Record<string, unknown>;
  /** The entries, under the names that they have on the server. */
  entries: Entry[];
  /** Those whose name the server had already. */
  renamed: { from: string; entry: Entry }[];
  /** Why the server takes no more. */
  problem?: string;
}

/**
 * Registers entries one by one. One whose name the server has already gets `_2`, `_3` and so on, without taking a name that is
 * another entry's own, as tools of one set do. Never throws.
 *
 * @param register throws where the name is taken, as both generations of the MCP SDK do
 */
export function registerDistinct<Entry extends Named>(
  entries: readonly Entry[],
  register: (entry: Entry) => unknown,
): Distinct<Entry> {
  const own = new Set(entries.map(({ listing }) => listing.name));
  const result: Distinct<Entry> = { registered: {}, entries: [], renamed: [] };
  for (const entry of entries) {
    const from = entry.listing.name;
    let named = entry;
    for (let number = 2; ; number += 1) {
      const { name } = named.listing;
      try {
        result.registered[name] = register(named);
        break;
      } catch (error) {
        if (!isTaken(error)) return { ...result, problem: error instanceof Error ? error.message : String(error) };
      }
      while (own.has(numberedName(from, number))) number += 1;
      named = { ...entry, listing: { ...entry.listing, name: numberedName(from, number) } };
    }
    own.add(named.listing.name);
    result.entries.push(named);
    if (named !== entry) result.renamed.push({ from, entry: named });
  }
  return result;
}

// Both generations of the SDK tell a taken name by these words alone.
const takenWords = 'is already registered';

/** The error of a name that is taken, in the words of the MCP SDK. */
export function takenName(kind: string, name: string): Error {
  return new Error(`${kind} ${name} ${takenWords}`);
}

/** Tells the error of a name that is taken from others. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith(takenWords);
}
