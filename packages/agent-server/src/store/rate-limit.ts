import type { RateLimit } from './run-store.ts';

/**
 * Takes one of the requests of a limit, if there is one in the last `perMs` milliseconds.
 *
 * @param record What was stored when the last one was taken: the times of all.
 * @returns What to store instead, or how long to wait.
 */
export function takeRequest(
  record: string | undefined,
  { requests, perMs }: RateLimit,
  now: number,
): { record: string } | { waitMs: number } {
  const times = (JSON.parse(record ?? '[]') as number[]).filter((time) => time > now - perMs);
  const [freed] = times.slice(-requests);
  if (freed === undefined || times.length < requests) return { record: JSON.stringify([...times, now]) };
  return { waitMs: freed + perMs - now };
}
