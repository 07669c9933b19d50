import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../schema/finding.ts';
import { maxFindings } from '../schema/finding-list.ts';
import { mainWith, toolWith } from '../schema/rules/fixtures/rule-case.ts';
import { loadAgent } from './load-agent.ts';
import { loadSchema } from './load-schema.ts';
import { validateMain } from './validate-schema.ts';

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');
const main = JSON.stringify(mainWith());
const within = (fields: string): string => `export const main = { ...${main}, ${fields} };`;
const inTool = (fields: string): string => {
  const [tool] = Object.values(toolWith().tools);
  return within(`tools: { getThing: { ...${JSON.stringify(tool)}, ${fields} } }`);
};
const parameter = (value: string, options: string): string =>
  `{ position: { key: 'q', value: '${value}', location: 'query' }, z: { primitive: 'string()', options: [${options}] } }`;

// Some 100 KB to 1 MB each: files that would make a finding of every few bytes, or compare each part with each other.
const files: Readonly<Record<string, string>> = {
  'unknown fields': within(times(100_000, (index) => `f${index}: 0,`)),
  'duplicate keys': within('a: 0,'.repeat(150_000)),
  'forbidden code': `export const main = ${main}; export const handlers = () => { ${'eval();'.repeat(100_000)} };`,
  'unknown names': `export const main = ${main}; export const handlers = () => { ${times(80_000, (index) => `x${index};`)} };`,
  'handlers of no tool': `export const main = ${main}; export const handlers = () => ({ ${times(80_000, (index) => `h${index}: {},`)} });`,
  'unknown options': inTool(`parameters: [${parameter('{{USER_PARAM}}', "'x',".repeat(80_000))}]`),
  'libraries that are not allowed': within(`requiredLibraries: [${times(80_000, (index) => `'l${index}',`)}]`),
  'one library many times': within(`requiredLibraries: [${"'no-such-library',".repeat(50_000)}]`),
  'empty resources': within(`resources: { ${times(60_000, (index) => `r${index}: {},`)} }`),
  'empty skills': within(`skills: { ${times(60_000, (index) => `s${index}: {},`)} }`),
  'a path of placeholders': inTool(`path: '/${times(100_000, (index) => `{{A${index}}}`)}'`),
  'a path of colons': inTool(`path: '/${':a'.repeat(300_000)}'`),
  'a key longer than a pattern may be': inTool(
    `path: '/:a', parameters: [${parameter('{{USER_PARAM}}', '')
      .replace("key: 'q'", `key: '${'/'.repeat(600_000)}'`)
      .replace('query', 'insert')}]`,
  ),
  'a value of placeholders': inTool(
    `parameters: [${parameter(
      times(80_000, (index) => `{{A${index}}}`),
      '',
    )}]`,
  ),
  'parameters without end': inTool(`parameters: [${`${parameter('{{DATE_FROM}}', '')},`.repeat(8000)}]`),
  'tests with unknown values': inTool(
    `parameters: [${times(900, (index) => `${parameter('{{USER_PARAM}}', '').replace("'q'", `'${'k'.repeat(80)}${index}'`)},`)}], ` +
      `tests: [{ ${times(4000, (index) => `${'j'.repeat(80)}${index}: 1,`)} }]`,
  ),
  'routes of format 1': `export const schema = { namespace: 'a', name: 'b', flowMCP: '1.2.0', root: 'https://a.example.com', routes: { ${times(60_000, (index) => `r${index}: {},`)} } };`,
};

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-hostile-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'schema.mjs');
  await writeFile(file, text);
  return file;
}

function expectFew(findings: readonly Finding[]): void {
  const { length } = findings;
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThanOrEqual(maxFindings + 1);
  expect(JSON.stringify(findings).length).toBeLessThan(2_000_000);
  if (length > maxFindings) expect(findings.at(-1)).toMatchObject({ code: 'VAL092', omitted: expect.any(Number) });
}

describe('a file that is designed to have many findings', () => {
  test.each(Object.entries(files))('%s', async (_, text) => {
    const { findings } = await loadSchema({ filePath: await fileOf(text) });
    expectFew(findings);
  });

  test('an agent', async () => {
    const text = `export const agent = { version: 'schemakit/3.0.0', ${times(100_000, (index) => `f${index}: 0,`)} };`;
    const { findings } = await loadAgent({ filePath: await fileOf(text) });
    expectFew(findings);
  });

  test('a main of a program', () => {
    const fields = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`f${index}`, 0]));
    expectFew(validateMain(mainWith(fields)));
  });

  test('errors are kept before warnings', async () => {
    const many = within(`${times(1500, (index) => `f${index}: 0,`)} namespace: 'A1'`);
    const { status, findings } = await loadSchema({ filePath: await fileOf(many) });
    expect(status).toBe(false);
    expect(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(['VAL011']);
    expect(findings.at(-1)).toMatchObject({ code: 'VAL092', severity: 'info' });
  });
});
