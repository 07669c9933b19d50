/** What became of the calls of a soak. */
export interface Outcomes {
  counts: Record<'answered' | 'failed with its cause' | 'cancelled' | 'lists' | 'sessions', number>;
  /** Words of failures that are right while the API is down, and how often they came. */
  causes: Map<string, number>;
  /** What must not happen. */
  wrong: Map<string, number>;
}

export function createOutcomes(): Outcomes {
  const counts = { answered: 0, 'failed with its cause': 0, cancelled: 0, lists: 0, sessions: 0 };
  return { counts, causes: new Map(), wrong: new Map() };
}

/** Counts one more of a kind. Addresses and durations differ from call to call: they make no other kind. */
export function tally(kinds: Map<string, number>, text: string): void {
  const kind = text.slice(0, 300).replace(/\d+/g, 'N');
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
}
