import type { OnProgress } from '../tool-index/index.ts';

/** A reading that is over before a person would notice shows nothing. Milliseconds. */
const patience = 300;
const interval = 100;

/** Shows at a terminal how many schemas were read, in one line of stderr that is gone at the end. Undefined elsewhere. */
export function readingProgress({
  stream = process.stderr,
}: {
  stream?: NodeJS.WriteStream;
} = {}): OnProgress | undefined {
  if (stream.isTTY !== true) return undefined;
  const begun = Date.now();
  let shownAt = 0;
  let shown = '';
  return ({ done, total }) => {
    const now = Date.now();
    if (done === total) {
      // Blanks instead of control sequences: every terminal understands them.
      stream.write(shown === '' ? '' : `\r${' '.repeat(shown.length)}\r`);
    } else if (now - begun >= patience && now - shownAt >= interval) {
      shownAt = now;
      shown = `Reading schemas: ${done} of ${total}`;
      stream.write(`\r${shown}`);
    }
  };
}
