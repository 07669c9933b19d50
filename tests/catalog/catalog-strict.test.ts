import { loadSchemas } from '@schemakit/core';
import { expect, test } from 'vitest';
import { catalogFolder } from './replayed-catalog.ts';

test('every schema of the catalog is valid where warnings count as errors', async () => {
  const { status, schemas, findings } = await loadSchemas({ paths: [catalogFolder], strict: true });
  expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(status).toBe(true);
  expect(schemas.length).toBeGreaterThan(20);
});
