import { styleText } from 'node:util';
import { printable } from '../printable.ts';
import type { Check } from './check-settings.ts';

/** Checks as lines for a terminal. */
export function checksText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, ok, detail, fix }) => {
      const [mark, colour] =
        ok === null ? (['-', 'dim'] as const) : ok ? (['✓', 'green'] as const) : (['✗', 'red'] as const);
      const line = `${styleText(colour, mark, { stream: process.stdout })} ${name.padEnd(width)}  ${printable(detail)}`;
      return fix === undefined || ok === true ? line : `${line}\n    ${printable(fix)}`;
    })
    .join('\n');
}
