import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { faultlessTool, mainWith } from './support/schema-module.ts';

/** A schema of format 2. `key` and `version` are how the two fields stand in the text. */
function format2(key: string, version: string, before = ''): string {
  const { tools: _, version: __, ...rest } = mainWith();
  const fields = JSON.stringify(rest, null, 2).slice(1, -2);
  return `${before}export const main = {${fields},\n  ${version},\n  ${key}: ${JSON.stringify({ getThing: faultlessTool })},\n};\n`;
}

describe('schemakit migrate', () => {
  test.each([
    ['unquoted', format2('routes', "version: '2.0.0'"), ['tools: {', "version: '3.0.0'"]],
    ['single quotes', format2("'routes'", "'version': '2.1.0'"), ["'tools': {", "'version': '3.0.0'"]],
    ['double quotes', format2('"routes"', '"version": "2.0.0"'), ['"tools": {', '"version": "3.0.0"']],
    [
      'comments about routes',
      format2('routes', "version: '2.0.0'", "// 'routes': and version: '2.0.0' stay here\n"),
      ['tools: {', "// 'routes': and version: '2.0.0' stay here"],
    ],
  ])('%s', async (_, text, expected) => {
    const { run, read } = await cliProject({ 'project/shop.mjs': text });
    const { status, json } = run('migrate', 'shop.mjs');
    expect(json).toMatchObject({ status: true, total: 1, migrated: 1, skipped: 0, failed: 0, dryRun: false });
    expect(json.results).toMatchObject([{ action: 'migrated', valid: true }]);
    expect(status).toBe(0);
    const after = read('project/shop.mjs');
    for (const part of expected) expect(after).toContain(part);
    expect(run('validate', 'shop.mjs').status).toBe(0);
    // Once more changes nothing.
    expect(run('migrate', 'shop.mjs').json).toMatchObject({ status: true, migrated: 0, skipped: 1 });
    expect(read('project/shop.mjs')).toBe(after);
  });

  test('a file name with an escape sequence cannot take over the terminal', async () => {
    const name = 'sho\u001b]0;owned\u0007p.mjs';
    const { run } = await cliProject({ [`project/${name}`]: format2('routes', "version: '2.0.0'") });
    const { stderr } = run('migrate', '--all', '.', '--dry-run');
    expect(stderr).toContain('sho\\u{1b}]0;owned\\u{7}p.mjs');
    expect(stderr).not.toContain('\u001b');
  });

  test('--dry-run writes nothing, and shows the change on stderr', async () => {
    const text = format2('routes', "version: '2.0.0'");
    const { run, read } = await cliProject({ 'project/shop.mjs': text });
    const { status, json, stderr } = run('migrate', 'shop.mjs', '--dry-run');
    expect({ status, json }).toMatchObject({ status: 0, json: { dryRun: true, migrated: 1 } });
    expect(stderr).toContain("+  version: '3.0.0'");
    expect(read('project/shop.mjs')).toBe(text);
  });

  test('--all goes down, and leaves packages and lists alone', async () => {
    const text = format2('routes', "version: '2.0.0'");
    const { run, read } = await cliProject({
      'project/a.mjs': text,
      'project/deep/b.mjs': text,
      'project/node_modules/x/c.mjs': text,
      'project/_lists/d.mjs': 'export const list = {};',
    });
    expect(run('migrate', '--all', '.').json).toMatchObject({ status: true, total: 2, migrated: 2 });
    expect(read('project/deep/b.mjs')).toContain('3.0.0');
    expect(read('project/node_modules/x/c.mjs')).toBe(text);
  });

  test('a file that is migrated and not valid fails the command', async () => {
    const text = format2('routes', "version: '2.0.0'").replace('"namespace": "shop"', '"namespace": "Shop 1"');
    const { run, read } = await cliProject({ 'project/shop.mjs': text });
    const { status, json } = run('migrate', 'shop.mjs');
    expect({ status, json }).toMatchObject({ status: 4, json: { migrated: 1, results: [{ valid: false }] } });
    expect(json.error).toContain('namespace must contain only lowercase letters');
    expect(read('project/shop.mjs')).toContain('3.0.0');
  });
});

describe('schemakit validate', () => {
  const files = {
    'project/schemas/good.mjs': format2('tools', "version: '3.0.0'"),
    'project/schemas/bad.mjs': format2('tools', "version: 'v3'"),
    'project/.schemakit/config.json': '{ "mode": "dev", "defaultGroup": "work" }',
    'project/.schemakit/groups/work.json': '{ "tools": ["schemas/good.mjs"] }',
    'project/.schemakit/groups/all.json': '{ "tools": ["schemas/good.mjs", "schemas/bad.mjs::getThing"] }',
    'project/.schemakit/groups/none.json': '{ "tools": [] }',
    'project/.schemakit/groups/gone.json': '{ "tools": ["schemas/good.mjs", "schemas/gone.mjs"] }',
  };

  test('checks the default group, or the one that is named', async () => {
    const { run } = await cliProject(files);
    expect(run('validate')).toMatchObject({ status: 0, json: { total: 1, passed: 1 } });
    expect(run('validate', '--group', 'all')).toMatchObject({ status: 4, json: { total: 2, failed: 1 } });
    expect(run('validate', '--group', 'none')).toMatchObject({
      status: 3,
      json: { error: 'The group none has no tools.' },
    });
  });

  test('says what a group has that is gone', async () => {
    const { run } = await cliProject(files);
    const { status, json } = run('validate', '--group', 'gone');
    expect(status).toBe(3);
    expect(json).toMatchObject({ passed: 1, error: 'the group refers to schemas/gone.mjs, which does not exist' });
  });
});
