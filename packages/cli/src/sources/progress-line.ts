import { printable } from '../printable.ts';
import type { OnProgress, SourceProgress } from './source-options.ts';

/** A line at the bottom of a terminal that is written over and over. */
export interface ProgressLine {
  /** Undefined where there is no terminal: a log wants no progress. */
  onProgress: OnProgress | undefined;
  /** Takes the line away. */
  clear(): void;
}

const verbs: Readonly<Record<SourceProgress['step'], string>> = {
  fetch: 'Fetching',
  check: 'Checking',
  write: 'Writing',
};

/** Opens a line on stderr that shows how far an import or an update is. */
export function openProgressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (stream.isTTY !== true) return { onProgress: undefined, clear: () => {} };
  let shown = 0;
  const write = (text: string) => {
    // Blanks instead of control sequences: every terminal understands them.
    stream.write(`\r${text.padEnd(shown)}${text === '' ? '\r' : ''}`);
    shown = text.length;
  };
  return {
    onProgress({ step, done, total, file }) {
      const width = (stream.columns || 80) - 1;
      write(printable(`${verbs[step]} ${done}/${total} ${file}`).slice(0, width));
    },
    clear() {
      if (shown > 0) write('');
    },
  };
}
