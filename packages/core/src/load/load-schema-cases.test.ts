import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { schemaCodes } from '../schema/finding-codes.ts';
import { mainCases } from '../schema/rules/fixtures/main.ts';
import { mainWith } from '../schema/rules/fixtures/rule-case.ts';
import { loadSchema } from './load-schema.ts';
import { loadCases } from './load-schema-cases.ts';
import { validateMain, validateSchema } from './validate-schema.ts';

/** Loads `schema.mjs` among files; findings without folders of this machine. */
async function load(files: Readonly<Record<string, string>>, strict = false) {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-cases-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { status, findings } = await loadSchema({ filePath: join(folder, 'schema.mjs'), strict });
  return {
    status,
    findings: findings.map((finding) => ({ ...finding, message: finding.message.replaceAll(folder, '<folder>') })),
  };
}

describe('rules that loading checks', () => {
  test.each(loadCases)('$code, $severity: $message', async ({ breaks, keeps, ...expected }) => {
    const broken = await load(breaks);
    expect(broken.findings.filter(({ code }) => code === expected.code)).toEqual([expect.objectContaining(expected)]);
    expect(broken.status).toBe(expected.severity !== 'error');
    const mended = await load(keeps);
    expect(mended.findings.filter(({ code }) => code === expected.code)).toEqual([]);
    expect(mended.status).toBe(true);
  });
});

describe('strict', () => {
  // NaN has no JSON, by which the cases are written to files here.
  const inFiles = Object.values(mainCases)
    .flat()
    .filter(({ severity, breaks }) => severity !== 'error' && !JSON.stringify(breaks).includes(':null'));

  test.each(inFiles)('$code, $severity: $message', async ({ code, severity, breaks }) => {
    const main = JSON.stringify(mainWith(breaks));
    const { status, findings } = await load({ 'schema.mjs': `export const main = ${main};` }, true);
    const found = findings.filter((finding) => finding.code === code);
    expect(found.map((finding) => finding.severity)).toEqual([severity === 'warning' ? 'error' : 'info']);
    if (severity === 'warning') expect(status).toBe(false);
  });
});

describe('a main that was not loaded', () => {
  const shared = mainWith({ requiredLibraries: ['ccxt'] });

  test('VAL090: names the parts that only loading adds', () => {
    expect(validateSchema(shared)).toMatchObject([{ code: 'VAL090', severity: 'error', path: 'main' }]);
    expect(validateSchema(mainWith())).toEqual([]);
  });

  test('is still checked', () => expect(validateMain(shared)).toEqual([]));
});

// Codes whose cases are in other files, with those files.
const elsewhere: Readonly<Record<string, string>> = {
  VAL090: 'above',
  VAL091: 'tests/e2e/bad-schemas.test.ts',
  VAL092: 'hostile-findings.test.ts',
  VAL093: 'live-modules.test.ts',
  TST009: 'tests/e2e/test-expectations.test.ts',
};

test('every code of the tables has a case that breaks it', () => {
  const covered = new Set([...Object.values(mainCases).flat(), ...loadCases].map(({ code }) => code));
  const missing = Object.keys(schemaCodes).filter((code) => !covered.has(code) && !(code in elsewhere));
  expect(missing).toEqual([]);
});

test('every severity in a table is used by the code', () => {
  const cases = [...Object.values(mainCases).flat(), ...loadCases];
  for (const [code, [severity]] of Object.entries(schemaCodes)) {
    const own = cases.filter((one) => one.code === code);
    if (own.length > 0)
      expect(
        own.map((one) => one.severity),
        code,
      ).toContain(severity);
  }
});
