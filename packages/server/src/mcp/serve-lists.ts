import { page } from '../offer/page.ts';
import { fault } from './fault.ts';

/** The part of a list that a request asks for. A cursor that no list has given out is a fault of the protocol. */
export function listPage<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  options: { cursor?: string | undefined; pageSize: number },
): { entries: Entry[]; next: { nextCursor?: string } } {
  const found = page(list, nameOf, options);
  if (found === undefined) throw fault({ message: 'This cursor is not valid. Ask for the list without one.' });
  const { entries, ...next } = found;
  return { entries, next };
}
