/** A part of a list, and where the next one begins. */
export interface Page<Entry> {
  entries: Entry[];
  nextCursor?: string;
}

/** How many entries a list answers at once. No client can use more tools than that at a time. */
export const defaultPageSize = 1000;

/**
 * The entries of a list after a cursor (MCP specification, Pagination); undefined for a cursor that no list has given out. A
 * cursor names the entry that came last, so that nothing is left out where the list has changed in between.
 */
export function page<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  { cursor, pageSize }: { cursor?: string | undefined; pageSize: number },
): Page<Entry> | undefined {
  const start = cursor === undefined ? 0 : startAfter(list, nameOf, cursor);
  if (start === undefined) return undefined;
  const end = start + pageSize;
  const entries = list.slice(start, end);
  const last = entries.at(-1);
  return { entries, ...(end < list.length && last !== undefined && { nextCursor: write(nameOf(last), end) }) };
}

function startAfter<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  cursor: string,
): number | undefined {
  const read = parse(cursor);
  if (read === undefined) return undefined;
  const [name, end] = read;
  const before = list[end - 1];
  if (before !== undefined && nameOf(before) === name) return end;
  const found = list.findIndex((entry) => nameOf(entry) === name);
  return found === -1 ? Math.min(end, list.length) : found + 1;
}

function write(name: string, end: number): string {
  return Buffer.from(JSON.stringify([name, end])).toString('base64url');
}

function parse(cursor: string): [name: string, end: number] | undefined {
  try {
    const [name, end] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    return typeof name === 'string' && Number.isSafeInteger(end) && (end as number) > 0
      ? [name, end as number]
      : undefined;
  } catch {
    return undefined;
  }
}
