import { styleText } from 'node:util';
import type { KeptEdit, ToolChange, UpdateConflict, UpdateResult } from '@schemakit/import';
import { counted, printable } from '../../output/terminal-text.ts';

const colours = { added: 'green', removed: 'red', changed: 'yellow' } as const;
const maxTools = 40;

/** What an update did, or would do, for a terminal: breaking changes first. */
export function updateText(
  { changes, kept, conflicts, files }: UpdateResult,
  { folder, dryRun }: { folder: string; dryRun: boolean },
): string {
  const isQuiet = changes.length === 0 && conflicts.length === 0;
  if (isQuiet && Object.keys(files).length === 0) return `${printable(folder)} is up to date.`;
  const sorted = changes.toSorted((left, right) => Number(right.breaking) - Number(left.breaking));
  const counts = (['added', 'removed', 'changed'] as const).flatMap((word) => {
    const count = changes.filter(({ kind }) => kind === word).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const breaking = changes.filter((change) => change.breaking).length;
  const notes = [
    counts.length === 0 ? 'no tool changed' : `${counts.join(', ')}`,
    ...(breaking > 0 ? [`${counted(breaking, 'tool')} may break callers`] : []),
  ];
  const rest = sorted.length > maxTools ? [`  and ${sorted.length - maxTools} more (all with --json)`] : [];
  return [
    `${printable(folder)}: ${notes.join('; ')}${dryRun ? ' (nothing was written)' : ''}`,
    ...sorted.slice(0, maxTools).flatMap(changeLines),
    ...rest,
    ...kept.map(keptLine),
    ...conflicts.flatMap(conflictLines),
  ].join('\n');
}

function changeLines({ kind, tool, changes }: ToolChange): string[] {
  const lines = changes.map(({ place, message, breaking }) => {
    const mark = breaking ? styleText('red', 'breaking', { stream: process.stdout }) : '        ';
    return `    ${mark}  ${printable(`${place}: ${message}`)}`;
  });
  const word = styleText(colours[kind], kind.padEnd(7), { stream: process.stdout });
  return [`  ${word}  ${printable(tool)}`, ...lines];
}

function keptLine({ path, part, kind, to }: KeptEdit): string {
  const word = styleText('cyan', 'kept', { stream: process.stdout });
  const what = kind === 'renamed' ? `renamed to ${to}` : kind;
  return `  ${word}     ${printable(path)}${part === '' ? '' : `, ${printable(part)}`}: ${printable(what ?? '')} by hand`;
}

/** Both texts, as in a diff. */
function conflictLines({ path, part, line, file, document }: UpdateConflict): string[] {
  const lines = (mark: string, text: string) =>
    text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .slice(0, maxLines)
          .map((one) => `    ${mark} ${printable(one)}`);
  const word = styleText('red', 'conflict', { stream: process.stdout });
  return [
    `  ${word} ${printable(path)}:${line}, ${printable(part)}`,
    ...lines('yours   ', file),
    ...lines('document', document),
  ];
}

const maxLines = 12;
