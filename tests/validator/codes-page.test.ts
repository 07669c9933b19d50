import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { validatorCodesPage } from '../../docs/validator-codes-page.ts';

test('docs/validator-codes.md is what the table in the code says (if not: npx node docs/generate-validator-codes.ts)', () => {
  const page = readFileSync(new URL('../../docs/validator-codes.md', import.meta.url), 'utf8');
  expect(page).toBe(validatorCodesPage());
});
