import { styleText } from 'node:util';
import { printable } from '../printable.ts';
import type { SourceDocument } from './source-document.ts';

/** As many files of a kind are shown to a person. */
const most = 20;

const kinds = [
  ['added', 'green', ''],
  ['changed', 'yellow', ''],
  ['removed', 'red', 'no longer in the source, kept here'],
  ['edited', 'cyan', 'edited here, kept as they are'],
  ['failed', 'red', ''],
] as const;

/** What became of a source, for a person: a line on top, and below it the files that are not as they were. */
export function sourceText({ summary, files }: Pick<SourceDocument, 'summary' | 'files'>): string {
  const lists = kinds.flatMap(([kind, colour, note]) => {
    const paths = files[kind];
    if (paths.length === 0) return [];
    const title = styleText(colour, kind, { stream: process.stdout });
    const rest = paths.length > most ? [`    and ${paths.length - most} more`] : [];
    return [
      `  ${title}${note === '' ? '' : ` (${note})`}`,
      ...paths.slice(0, most).map((path) => `    ${printable(path)}`),
      ...rest,
    ];
  });
  return [printable(summary), ...lists].join('\n');
}
