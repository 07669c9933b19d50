import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { openTerminal } from './support/terminal-session.ts';

describe('schemakit init', () => {
  test('makes both levels, copies the catalog and sets a default group', async () => {
    const { run, json, home, has } = await cliProject();
    const { status, json: result } = run('init', '--yes');
    expect(status).toBe(0);
    expect(result).toMatchObject({ status: true, healthy: true, mode: 'agent', defaultGroup: 'default' });
    expect(result.imported).toMatchObject({ source: 'catalog' });
    expect(json('home/config.json')).toMatchObject({
      initialized: expect.any(String),
      sources: { catalog: { type: 'builtin' } },
    });
    expect(json('project/.schemakit/config.json')).toEqual({ mode: 'agent', defaultGroup: 'default' });
    expect(json('project/.schemakit/groups/default.json')).toEqual({ description: '', tools: [] });
    expect(has('home/schemas/catalog/demo/garden.mjs')).toBe(true);
    if (process.platform !== 'win32') expect(statSync(join(home, '.env')).mode & 0o077).toBe(0);
  });

  test('changes nothing that is there', async () => {
    const { run, read, home } = await cliProject({
      'home/.env': 'A=1\n',
      'project/.schemakit/config.json': '{ "mode": "dev", "mine": [1] }',
    });
    run('init', '--yes');
    const garden = join(home, 'schemas/catalog/demo/garden.mjs');
    writeFileSync(garden, '// mine');
    const config = read('home/config.json');
    expect(run('init', '--yes').json).toMatchObject({ status: true, created: [] });
    expect(readFileSync(garden, 'utf8')).toBe('// mine');
    expect(read('home/.env')).toBe('A=1\n');
    expect(read('home/config.json')).toBe(config);
    expect(JSON.parse(read('project/.schemakit/config.json'))).toEqual({
      mode: 'dev',
      mine: [1],
      defaultGroup: 'default',
    });
  });

  test('leaves a source of the same name alone', async () => {
    const { run, has } = await cliProject({
      'home/schemas/catalog/shop.mjs': shopSchema(),
      'home/config.json': JSON.stringify({ sources: { catalog: { type: 'github' } } }),
    });
    expect(run('init', '--yes').json).toMatchObject({
      imported: null,
      skipped: expect.stringContaining('is not the built-in catalog'),
    });
    expect(has('home/schemas/catalog/demo')).toBe(false);
  });

  test('knows the catalog again where the settings were lost, and adds what is missing', async () => {
    const { run, has, home, json } = await cliProject();
    run('init', '--yes');
    rmSync(join(home, 'config.json'));
    rmSync(join(home, 'schemas/catalog/npm'), { recursive: true });
    expect(run('init', '--yes').json).toMatchObject({ status: true, imported: { source: 'catalog' } });
    expect(has('home/schemas/catalog/npm/npm.mjs')).toBe(true);
    expect(json('home/config.json')).toMatchObject({ sources: { catalog: { type: 'builtin' } } });
  });

  test('names the mode dev as a next step only where it is one', async () => {
    const { run } = await cliProject();
    expect(run('init', '--yes').json.next).toContain('schemakit mode dev');
    run('mode', 'dev');
    expect(run('init', '--yes').json.next).toEqual(['schemakit add frankfurter_getRates', 'schemakit list']);
  });

  test('copies nothing with --no-import', async () => {
    const { run, has } = await cliProject();
    expect(run('init', '--yes', '--no-import').json).toMatchObject({ status: true, imported: null });
    expect(has('home/schemas/catalog')).toBe(false);
  });

  test('asks nobody without a terminal', async () => {
    const { run, has } = await cliProject();
    expect(run('init')).toMatchObject({ status: 2, json: { fix: 'Run: schemakit init --yes' } });
    expect([has('home/config.json'), has('home/schemas'), has('home/.env')]).toEqual([false, false, false]);
  });

  test.runIf(hasTerminal)('asks at a terminal; Enter sets up all of it', async () => {
    const { folder, home, json, has } = await cliProject();
    const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });
    const { status, screen } = await shell.run('schemakit init', [
      ['a project? [Y/n]', ''],
      ['group of tools: [default]', ''],
      ['or an AI agent', ''],
      ['catalog of schemas? [Y/n]', ''],
      ['URL of a registry', ''],
    ]);
    expect(status).toBe(0);
    expect(screen).toContain('Created:');
    expect(json('project/.schemakit/config.json')).toEqual({ mode: 'dev', defaultGroup: 'default' });
    expect(has('home/schemas/catalog/demo/garden.mjs')).toBe(true);
    // What is set up already is not asked again.
    const again = await shell.run('schemakit init --no-import');
    expect(again).toMatchObject({ status: 0, screen: expect.stringContaining('Already set up.') });
  });

  test.runIf(hasTerminal)('takes other answers, and asks again where one is none', async () => {
    const { folder, home, json, has } = await cliProject();
    const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });
    const { status } = await shell.run('schemakit init', [
      ['a project? [Y/n]', 'perhaps'],
      ['Answer yes or no.', 'y'],
      ['group of tools: [default]', '../x'],
      ['beginning with a letter or digit', 'work'],
      ['or an AI agent', 'agent'],
      ['catalog of schemas? [Y/n]', 'n'],
      ['URL of a registry', 'nonsense'],
      ['URL of a registry', ''],
    ]);
    expect(status).toBe(0);
    expect(json('project/.schemakit/config.json')).toEqual({ mode: 'agent', defaultGroup: 'work' });
    expect(has('home/schemas/catalog')).toBe(false);
  });

  test.runIf(hasTerminal).each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s at any question writes nothing', async (_, key) => {
    const { folder, home, has } = await cliProject();
    const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });
    const first = await shell.run('schemakit init', [['a project? [Y/n]', key]]);
    expect(first).toMatchObject({ status: 130, screen: expect.stringContaining('nothing was written') });
    const third = await shell.run('schemakit init', [
      ['a project? [Y/n]', ''],
      ['group of tools: [default]', ''],
      ['or an AI agent', key],
    ]);
    expect(third.status).toBe(130);
    expect([has('project/.schemakit'), has('home/config.json'), has('home/schemas')]).toEqual([false, false, false]);
  });
});

describe('schemakit status', () => {
  test('works without any settings, and names the command that makes them', async () => {
    const { run } = await cliProject();
    const { status, json } = run('status');
    expect(status).toBe(0);
    expect(json).toMatchObject({
      status: true,
      healthy: false,
      mode: null,
      config: null,
      groups: {},
      defaultGroup: null,
    });
    expect(json.checks).toContainEqual(
      expect.objectContaining({ name: 'globalConfig', ok: false, fix: 'schemakit init' }),
    );
  });

  test('says what is wrong with the file of secrets, the default group and references', async () => {
    const { run, home } = await cliProject({
      'home/config.json': '{}',
      'home/.env': 'A=1',
      'project/schemas/shop.mjs': shopSchema(['getThing'], { requiredServerParams: ['SHOP_KEY'] }),
      'project/.schemakit/config.json': JSON.stringify({ defaultGroup: 'work' }),
      'project/.schemakit/groups/work.json': JSON.stringify({ tools: ['schemas/shop.mjs', 'schemas/gone.mjs'] }),
    });
    chmodSync(join(home, '.env'), 0o644);
    const { json } = run('status');
    const faults = (json.checks as { name: string; ok: boolean; fix?: string }[]).filter(({ ok }) => !ok);
    expect(faults.map(({ name, fix }) => [name, fix])).toEqual([
      ['envFile', `Run: chmod 600 ${join(home, '.env')}`],
      ['groups', 'Import it again, or remove it: schemakit remove schemas/gone.mjs'],
      ['envParams', expect.stringMatching(/^Add SHOP_KEY=<value> to \.env of the project/)],
    ]);
    expect(json.groups).toEqual({ work: { toolCount: 1 } });
  });

  test('counts a secret once that two schemas name', async () => {
    const secret = { requiredServerParams: ['SHOP_KEY'] };
    const { run } = await cliProject(
      {
        'project/schemas/shop.mjs': shopSchema(['getThing'], secret),
        'project/schemas/store.mjs': shopSchema(['getThing'], { ...secret, namespace: 'store' }),
        'project/.schemakit/config.json': JSON.stringify({ defaultGroup: 'work' }),
        'project/.schemakit/groups/work.json': JSON.stringify({ tools: ['schemas/shop.mjs', 'schemas/store.mjs'] }),
      },
      { SHOP_KEY: 'x' },
    );
    expect(run('status').json.checks).toContainEqual(
      expect.objectContaining({ name: 'envParams', detail: '1 secret needed, all set' }),
    );
  });

  test('reports files that are broken instead of ending', async () => {
    const { run } = await cliProject({ 'home/config.json': '{', 'project/.schemakit/config.json': '[]' });
    const { status, json } = run('status');
    expect(status).toBe(0);
    const faults = (json.checks as { name: string; ok: boolean; detail: string }[]).filter(({ ok }) => !ok);
    expect(faults).toMatchObject([
      {
        name: 'globalConfig',
        detail:
          'line 1, column 2: the settings are not valid JSON: expected a key in double quotes, found the end of the file',
      },
      { name: 'schemas' },
      { name: 'localConfig', detail: expect.stringContaining('must be an object') },
    ]);
  });

  test('is text at a terminal, unless JSON is asked for', async () => {
    if (!hasTerminal) return;
    const { folder, home } = await cliProject();
    const options = { cwd: folder, env: { SCHEMAKIT_HOME: home, NO_COLOR: '1' } };
    const { screen } = await runAtTerminal(['status'], '', options);
    expect(screen).toContain('✗ globalConfig');
    expect(screen).not.toContain('\u001b[');
    const { screen: text } = await runAtTerminal(['status', '--json'], '', options);
    expect(JSON.parse(text)).toMatchObject({ status: true });
  });
});

describe('schemakit doctor', () => {
  test('starts a handler, and does not try the network', async () => {
    const { run } = await cliProject();
    run('init', '--yes');
    const { status, json } = run('doctor');
    expect(status).toBe(0);
    expect(json.checks).toContainEqual(expect.objectContaining({ name: 'handlers', ok: true }));
    expect(json.checks).toContainEqual({ level: 6, name: 'network', ok: null, detail: 'not checked' });
  });

  test('fails where a check fails', async () => {
    const { run } = await cliProject();
    expect(run('doctor')).toMatchObject({ status: 1, json: { status: false, fix: 'schemakit init' } });
  });
});

describe('where settings are', () => {
  test('--cwd names the project, from wherever the command runs', async () => {
    const { run, folder, has } = await cliProject();
    const elsewhere = await cliProject();
    expect(elsewhere.run('--cwd', folder, 'mode', 'dev').status).toBe(0);
    expect(elsewhere.run('mode', 'dev', `--cwd=${folder}`).status).toBe(0);
    expect(has('project/.schemakit/config.json')).toBe(true);
    expect(elsewhere.has('project/.schemakit')).toBe(false);
    expect(run('mode').json.mode).toBe('dev');
  });

  test('a home in the working directory is not a project because of that', async () => {
    const { folder, run } = await cliProject({}, { SCHEMAKIT_HOME: '.schemakit' });
    expect(run('init', '--yes', '--no-import').status).toBe(0);
    rmSync(join(folder, '.schemakit/groups'), { recursive: true });
    writeFileSync(join(folder, '.schemakit/config.json'), '{ "initialized": "2026-01-01" }');
    expect(run('mode').json.mode).toBe(null);
    run('mode', 'agent');
    expect(JSON.parse(readFileSync(join(folder, '.schemakit/config.json'), 'utf8'))).toEqual({
      initialized: '2026-01-01',
      mode: 'agent',
    });
  });

  test('folders of an older program are read, and left as they are', async () => {
    const old = {
      root: '~/.flowmcp',
      mode: 'development',
      defaultGroup: 'work',
      groups: { work: { description: 'Old', schemas: ['lib/shop.mjs::getThing'] } },
    };
    const { run, read, json } = await cliProject(
      {
        '.flowmcp/config.json': JSON.stringify({ initialized: '2025-01-01', sources: { lib: { type: 'github' } } }),
        '.flowmcp/.env': 'SHOP_KEY=old',
        '.flowmcp/schemas/lib/shop.mjs': shopSchema(['getThing', 'getOther']),
        'project/.flowmcp/config.json': JSON.stringify(old),
      },
      { SCHEMAKIT_HOME: '' },
    );
    expect(run('mode').json.mode).toBe('dev');
    expect(run('list').json).toMatchObject({ group: 'work', toolCount: 1 });
    expect(run('add', 'shop_getOther').status).toBe(0);
    expect(run('list').json).toMatchObject({ group: 'work', toolCount: 2 });
    expect(run('mode', 'agent').status).toBe(0);
    expect(json('project/.schemakit/config.json')).toEqual({ ...old, mode: 'agent' });
    expect(run('list').json).toMatchObject({ group: 'work', toolCount: 2 });
    expect(JSON.parse(read('project/.flowmcp/config.json'))).toEqual(old);
  });
});
