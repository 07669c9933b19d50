/** Shorter words are similar to almost everything. */
const minLength = 3;
const maxLength = 100;

/** The candidate closest to a misspelt word, with at most a third of its letters different. Undefined if none is close enough. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxLength) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = (word.length < minLength ? 0 : Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(lower, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `Did you mean price?`, if a candidate is close enough. */
export function suggestWord(word: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestWord(word, candidates);
  return nearest === undefined ? undefined : `Did you mean ${nearest}?`;
}

/** Optimal string alignment distance: letters to insert, delete, replace or swap. Returns `tooMany` early if it is at least that. */
function editDistance(left: string, right: string, tooMany: number): number {
  let older: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const shorter = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(isSwap && column > 1 ? Math.min(shorter, (older[column - 2] ?? Infinity) + 1) : shorter);
    }
    // A swap reaches back two rows, so both must be too large.
    if (Math.min(...current) >= tooMany && Math.min(...previous) >= tooMany) return tooMany;
    older = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
