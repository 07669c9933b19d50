/** Shorter words are near to almost everything: `a` is one letter from every other letter. */
const minLength = 3;
const maxLength = 100;

/**
 * The candidate that a misspelt word most likely meant: at most a third of its letters differ, where two that changed places
 * count as one. Words of one or two letters may only differ in capitals. Undefined when nothing is near enough.
 */
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

/** `Did you mean price?`; undefined when nothing is near enough. */
export function suggestWord(word: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestWord(word, candidates);
  return nearest === undefined ? undefined : `Did you mean ${nearest}?`;
}

/**
 * Letters to insert, delete, replace or swap with their neighbour (optimal string alignment distance). At least `tooMany` where
 * it is no less than that.
 */
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
    // Distances never fall from one row to the next but one, which a swap reaches back to.
    if (Math.min(...current) >= tooMany && Math.min(...previous) >= tooMany) return tooMany;
    older = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
