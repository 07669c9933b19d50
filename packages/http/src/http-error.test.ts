import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HTTP_ERRORS } from './http-error.ts';

it('the table in the README is the table of codes', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` *\| (.+?) *\| (.+?) *\|$/gm)];
  expect(Object.fromEntries(rows.map(([, code, meaning, hint]) => [code, { meaning, hint }]))).toEqual(HTTP_ERRORS);
});
