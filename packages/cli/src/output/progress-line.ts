import { printable } from './terminal-text.ts';

export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

/** Opens a progress line on stderr; shows nothing without a terminal. */
export function openProgressLine(): ProgressLine {
  const { stderr } = process;
  if (stderr.isTTY !== true) return { show: () => {}, clear: () => {} };
  let shown = 0;
  const write = (text: string) => {
    // Every terminal understands blanks.
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
