import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import { isDeeperThan } from './depth.ts';

/** What a list was found to hold, page after page. */
export interface Items {
  kept: PlainObject[];
  /** Takes the items of a page. Returns why no more are kept, if that is so. */
  take(page: unknown): string | undefined;
  /** False if items, or all of a page, had to be left out. */
  isWhole(): boolean;
  /** What was not of the protocol's form, for reading; undefined if nothing. */
  misformed(): string | undefined;
}

const MAX_ITEMS = 5000;
/** Characters of JSON. */
const MAX_SIZE = 16 * 1024 * 1024;
/** Deeper than any schema that people write, and less than what programs that walk through snapshots can bear. */
const MAX_DEPTH = 100;

/** Collects the items of a list: `key` is the field of a page that holds them, `id` the field that names one. */
export function takeItems({ key, id }: { key: string; id: string }): Items {
  const kept: PlainObject[] = [];
  const seen = new Map<string, number>();
  const deep: string[] = [];
  const withoutSchema: string[] = [];
  let listless = false;
  let nameless = 0;
  let room = MAX_SIZE;

  function take(page: unknown): string | undefined {
    if (!Array.isArray(page)) {
      listless = true;
      return undefined;
    }
    for (const item of page) {
      if (kept.length === MAX_ITEMS) return `only the first ${MAX_ITEMS} are kept`;
      const name = field(item, id);
      if (!isPlainObject(item) || typeof name !== 'string') nameless++;
      else if (isDeeperThan(item, MAX_DEPTH)) deep.push(name);
      else {
        room -= JSON.stringify(item).length;
        if (room < 0) return `only the first ${MAX_SIZE / 1024 / 1024} MiB are kept`;
        kept.push(item);
        seen.set(name, (seen.get(name) ?? 0) + 1);
        if (key === 'tools' && !isPlainObject(field(item, 'inputSchema'))) withoutSchema.push(name);
      }
    }
    return undefined;
  }

  function misformed(): string | undefined {
    const twice = [...seen].filter(([, times]) => times > 1).map(([name]) => name);
    const problems = [
      listless && `\`${key}\` is not an array`,
      nameless > 0 && `${nameless} without a \`${id}\` left out`,
      deep.length > 0 && `nested deeper than ${MAX_DEPTH} levels and left out: ${nameList(deep, { max: 5 })}`,
      twice.length > 0 &&
        `listed more than once, so that nobody can tell which is meant: ${nameList(twice, { max: 5 })}`,
      withoutSchema.length > 0 && `no object as \`inputSchema\`: ${nameList(withoutSchema, { max: 5 })}`,
    ].filter((problem) => problem !== false);
    return problems.length === 0 ? undefined : problems.join('; ');
  }

  const isWhole = (): boolean => !listless && nameless === 0 && deep.length === 0;

  return { kept, take, isWhole, misformed };
}
