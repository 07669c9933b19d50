import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject, shopSchema } from './support/cli-project.ts';

const command = resolve('packages/cli/bin/schemakit.js');
const bad = shopSchema(['getThing'], { version: 'v3', docs: 'none' });
const files = {
  'project/schemas/good.mjs': shopSchema(),
  'project/schemas/deep er/bäd.mjs': bad,
  'project/schemas/node_modules/x/lost.mjs': bad,
};

interface Sarif {
  version: string;
  runs: {
    tool: {
      driver: { name: string; rules: { id: string; help: { text: string }; shortDescription: { text: string } }[] };
    };
    results: {
      ruleId: string;
      ruleIndex: number;
      level: string;
      message: { text: string };
      locations: {
        physicalLocation: { artifactLocation: { uri: string; uriBaseId?: string }; region: Record<string, number> };
      }[];
      partialFingerprints: Record<string, string>;
    }[];
  }[];
}

describe('schemakit validate --format sarif', () => {
  test('has a result for each finding with its place, and its rule with a help text', async () => {
    const { run } = await cliProject(files);
    const { status, json } = run('validate', 'schemas', '--format', 'sarif');
    expect(status).toBe(4);
    const { version, runs } = json as unknown as Sarif;
    const [log] = runs;
    expect({ version, tool: log?.tool.driver.name }).toEqual({ version: '2.1.0', tool: 'schemakit' });
    expect(log?.results.map(({ ruleId, level }) => [ruleId, level])).toEqual(
      expect.arrayContaining([
        ['VAL014', 'error'],
        ['VAL020', 'warning'],
      ]),
    );
    for (const result of log?.results ?? []) {
      const rule = log?.tool.driver.rules[result.ruleIndex];
      expect(rule?.id).toBe(result.ruleId);
      expect(rule?.help.text).toMatch(/\w/);
      expect(rule?.shortDescription.text).not.toContain('`');
      const { artifactLocation, region } = result.locations[0]?.physicalLocation ?? {};
      expect(artifactLocation).toEqual({ uri: 'schemas/deep%20er/b%C3%A4d.mjs', uriBaseId: '%SRCROOT%' });
      expect(region?.startLine).toBeGreaterThanOrEqual(1);
      expect(region?.startColumn).toBeGreaterThanOrEqual(1);
    }
    const prints = log?.results.map(({ partialFingerprints }) => JSON.stringify(partialFingerprints)) ?? [];
    expect(new Set(prints).size).toBe(prints.length);
  });

  test('of schemas without faults has no results, and of what is not there one', async () => {
    const { run } = await cliProject(files);
    expect(run('validate', 'schemas/good.mjs', '--format', 'sarif')).toMatchObject({
      status: 0,
      json: { runs: [{ results: [], tool: { driver: { rules: [] } } }] },
    });
    const { status, json } = run('validate', 'gone.mjs', '--format', 'sarif');
    expect(status).toBe(3);
    expect(json).toMatchObject({ runs: [{ results: [{ ruleId: 'FIL001', level: 'error' }] }] });
  });

  test('a file that is not below the working folder has its whole address', async () => {
    const { run } = await cliProject({ 'other/bad.mjs': bad });
    const { json } = run('validate', '../other/bad.mjs', '--format', 'sarif');
    const [log] = (json as unknown as Sarif).runs;
    expect(log?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toMatch(
      /^file:\/\/\/.*\/other\/bad\.mjs$/,
    );
  });
});

describe('schemakit validate', () => {
  test('names a missing file once', async () => {
    const { run } = await cliProject();
    expect(run('validate', 'nope.mjs').stderr).toContain('error FIL001: there is no file nope.mjs\n');
    expect(run('validate', 'nope.mjs').stderr.split('nope.mjs')).toHaveLength(2);
  });

  test('warns of docs that are no URLs', async () => {
    const { run } = await cliProject({ 'project/shop.mjs': shopSchema(['getThing'], { docs: ['nourl'] }) });
    expect(run('validate', 'shop.mjs').stderr).toContain('warning VAL020: "nourl" in main.docs is not a URL');
  });

  test('goes down into folders, and not into packages', async () => {
    const { run } = await cliProject(files);
    expect(run('validate', 'schemas').json).toMatchObject({ total: 2, passed: 1, failed: 1 });
  });

  test('--format json is the document, whatever stdout is', async () => {
    const { run } = await cliProject(files);
    expect(run('validate', 'schemas', '--format', 'json').json).toEqual(run('validate', 'schemas').json);
  });

  test('--format text has the findings on stdout', async () => {
    const { folder, home } = await cliProject(files);
    const args = [command, 'validate', 'schemas/good.mjs', 'schemas', '--format', 'text'];
    const env = { ...process.env, SCHEMAKIT_HOME: home };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 4, stderr: '' });
    expect(stdout).toMatch(/^schemas.deep er.bäd\.mjs\n {2}\d+:\d+ +error +VAL014/);
    expect(stdout).toMatch(/\n1 of 2 schemas valid\.\n$/);
  });

  test('--strict turns warnings into errors, those about several schemas too', async () => {
    const twice = { 'project/schemas/a.mjs': shopSchema(), 'project/schemas/b.mjs': shopSchema() };
    const { run } = await cliProject(twice);
    expect(run('validate', 'schemas').status).toBe(0);
    const { status, json } = run('validate', 'schemas', '--strict');
    expect(status).not.toBe(0);
    expect(json).toMatchObject({ status: false, error: expect.stringContaining('shop') });
  });

  test.each([
    [['schemas', '--format', 'xml'], 2],
    [['schemas', '--group', 'work'], 2],
    [['gone', '--watch'], 3],
    [['--watch'], 3],
  ])('%j ends with %i', async (args, expected) => {
    const { run } = await cliProject(files);
    const { status, json } = run('validate', ...args);
    expect(status).toBe(expected);
    expect(json.error).toEqual(expect.any(String));
  });
});
