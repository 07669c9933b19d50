import { setImmediate as nextTurn } from 'node:timers/promises';

/** UTF-16 units that are masked in one go: some 20 ms. */
const pieceLength = 200_000;
/** No secret is longer in any of its spellings. */
const overlap = 20_000;

/** Masks secrets in a text of any length, without holding up other work. Rejects when the signal aborts. */
export async function scrubLong(text: string, scrub: (text: string) => string, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > pieceLength + overlap) {
    let end = start + pieceLength;
    while (isInSecret(text, end, scrub)) end += overlap;
    pieces.push(scrub(text.slice(start, end)));
    start = end;
    await nextTurn();
    signal.throwIfAborted();
  }
  pieces.push(scrub(text.slice(start)));
  return pieces.join('');
}

/** Whether a cut would hide a secret. */
function isInSecret(text: string, at: number, scrub: (text: string) => string): boolean {
  const before = text.slice(at - overlap, at);
  const after = text.slice(at, at + overlap);
  return scrub(before) + scrub(after) !== scrub(before + after);
}
