import type { PinnedParts } from './schema-pin.ts';

const kept = new WeakMap<object, PinnedParts>();

/** Keeps what a pin of a loaded schema is made from, by its `main`: most schemas are never asked for one. */
export function keepPinnedParts(main: object, parts: PinnedParts): void {
  kept.set(main, parts);
}

/** What `keepPinnedParts` kept. */
export function pinnedParts(main: object): PinnedParts | undefined {
  return kept.get(main);
}
