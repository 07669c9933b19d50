import { expect, test } from 'vitest';
import { fillAttacks } from '../../docs/security-tables.ts';
import { readPage } from '../docs/markdown.ts';
import { codeGroups, dataGroups } from './groups.ts';

test('docs/security.md has every attack, and what becomes of it (if not: npx node docs/generate-security.ts)', () => {
  const page = readPage('docs/security.md');
  expect(page).toBe(fillAttacks(page));
  for (const { title } of [...codeGroups, ...dataGroups]) expect(page).toContain(`### ${title}\n`);
});

test('each attack has a name of its own', () => {
  for (const { title, attacks } of [...codeGroups, ...dataGroups]) {
    const names = attacks.map(({ name }) => name);
    expect(new Set(names).size, title).toBe(names.length);
  }
});
