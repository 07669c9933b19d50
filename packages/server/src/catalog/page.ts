/** Default number of entries on a page. No client can use more tools than that. */
export const defaultPageSize = 1000;

/**
 * The page of a list after a cursor (MCP specification, Pagination); undefined for an invalid cursor. A cursor names the last
 * entry of the previous page, so that no entry is skipped if the list changes in between.
 */
export function page<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  { cursor, pageSize }: { cursor?: string | undefined; pageSize: number },
): { entries: Entry[]; next: { nextCursor?: string } } | undefined {
  const start = cursor === undefined ? 0 : startAfter(list, nameOf, cursor);
  if (start === undefined) return undefined;
  const end = start + pageSize;
  const entries = list.slice(start, end);
  const last = entries.at(-1);
  return { entries, next: end < list.length && last !== undefined ? { nextCursor: encode(nameOf(last), end) } : {} };
}

function startAfter<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  cursor: string,
): number | undefined {
  const decoded = decode(cursor);
  if (decoded === undefined) return undefined;
  const [name, end] = decoded;
  const before = list[end - 1];
  if (before !== undefined && nameOf(before) === name) return end;
  const found = list.findIndex((entry) => nameOf(entry) === name);
  return found === -1 ? Math.min(end, list.length) : found + 1;
}

function encode(name: string, end: number): string {
  return Buffer.from(JSON.stringify([name, end])).toString('base64url');
}

function decode(cursor: string): [name: string, end: number] | undefined {
  try {
    const [name, end] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, number];
    return typeof name === 'string' && Number.isSafeInteger(end) && end > 0 ? [name, end] : undefined;
  } catch {
    return undefined;
  }
}
