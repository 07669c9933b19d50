/** Numbers and choices that look random and are the same in every run. */
export interface Random {
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** Different items, in the order in which they stand. */
  sample<Item>(items: readonly Item[], count: number): Item[];
  /** The index of a weight, as often as its share of all weights says. */
  weighted(weights: readonly number[]): number;
}

/** Mulberry32, a generator of 32 bits: small, fast, and good enough to make up schemas. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    sample(items, count) {
      const order = items.map((item, place) => ({ item, place, lot: next() }));
      const drawn = order.sort((left, right) => left.lot - right.lot).slice(0, count);
      return drawn.sort((left, right) => left.place - right.place).map(({ item }) => item);
    },
    weighted(weights) {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      let rest = next() * total;
      const index = weights.findIndex((weight) => {
        rest -= weight;
        return rest < 0;
      });
      return Math.max(0, index);
    },
  };
}
