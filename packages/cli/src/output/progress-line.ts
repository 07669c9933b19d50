import { printable } from './terminal-text.ts';

/** A line at the bottom of a terminal that is written over and over. */
export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

/** Opens a line on stderr. Without a terminal nothing is shown: a log wants no progress. */
export function openProgressLine(): ProgressLine {
  const { stderr } = process;
  if (stderr.isTTY !== true) return { show: () => {}, clear: () => {} };
  let shown = 0;
  const write = (text: string) => {
    // Blanks instead of control sequences: every terminal understands them.
    stderr.write(`\r${text.padEnd(shown)}${text === '' ? '\r' : ''}`);
    shown = text.length;
  };
  return {
    show: (text) => write(printable(text).slice(0, Math.max(1, (stderr.columns || 80) - 1))),
    clear() {
      if (shown > 0) write('');
    },
  };
}
