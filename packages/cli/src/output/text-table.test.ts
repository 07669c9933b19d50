import { expect, test } from 'vitest';
import { textColumns } from './text-table.ts';

test('a last column without room is put below, and lines stay within the width', () => {
  const rows = [
    ['the-name-of-a-long-parameter', 'text, required', 'What it is called, in a few more words than one line has'],
    ['q', 'text', 'Short'],
  ];
  const lines = textColumns(rows, { indent: 2, width: 60 });
  expect(lines).toEqual([
    '  the-name-of-a-long-parameter  text, required',
    '      What it is called, in a few more words than one line',
    '      has',
    '  q                             text            Short',
  ]);
});
