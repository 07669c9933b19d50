/** One who stands in a line. */
export interface Place {
  before?: Place | undefined;
  after?: Place | undefined;
}

/** Those who wait, in the order in which they came. */
export interface Line<Waiting extends Place> {
  readonly length: number;
  first(): Waiting | undefined;
  add(waiting: Waiting): void;
  remove(waiting: Waiting): void;
  /** All of them; more may come and go meanwhile. */
  all(): Waiting[];
}

/**
 * Whoever leaves is out at once, wherever they stood, and holds on to nobody: neither an array nor a `Set` does both, and what a `Set` leaves behind
 * as it grows keeps the garbage collector busy.
 */
export function createLine<Waiting extends Place>(): Line<Waiting> {
  let first: Waiting | undefined;
  let last: Waiting | undefined;
  let length = 0;
  return {
    get length() {
      return length;
    },
    first: () => first,
    add(waiting) {
      waiting.before = last;
      if (last === undefined) first = waiting;
      else last.after = waiting;
      last = waiting;
      length += 1;
    },
    remove(waiting) {
      const before = waiting.before as Waiting | undefined;
      const after = waiting.after as Waiting | undefined;
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      waiting.before = undefined;
      waiting.after = undefined;
      length -= 1;
    },
    all() {
      const all: Waiting[] = [];
      for (let one = first; one !== undefined; one = one.after as Waiting | undefined) all.push(one);
      return all;
    },
  };
}
