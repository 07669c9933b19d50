import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { checkLock, readLock, trustSchemas } from '@schemakit/core/lock';
import { describe, expect, test } from 'vitest';
import { type CommandRun, hasTerminal, runAtTerminal, runCommand, startCommand } from './support/command.ts';
import { faultlessTool, mainWith, moduleText } from './support/schema-module.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { startUpstream } from './support/upstream.ts';

const reverse = `() => ({
  getThing: {
    preRequest: async ({ struct, serverParams }) => {
      struct.headers['X-Sign'] = [...serverParams.SHOP_KEY].reverse().join('');
      return { struct };
    },
  },
})`;
const env = { SHOP_KEY: 'abc-secret-def' };

interface Shop {
  folder: string;
  file: string;
  lockFile: string;
  run(...args: string[]): CommandRun;
  call(): Promise<CommandRun>;
  /** Replaces text in the schema's file. */
  edit(from: string | RegExp, to: string): void;
}

/** A folder with one schema, `shop.mjs`, whose handlers sign with a secret. */
async function shop({ root = 'https://api.example.com', handlers = reverse, main = {} } = {}): Promise<Shop> {
  const text = moduleText(mainWith({ root, requiredServerParams: ['SHOP_KEY'], ...main }), handlers);
  const folder = await temporaryFolder({ 'shop.mjs': text });
  const file = join(folder, 'shop.mjs');
  return {
    folder,
    file,
    lockFile: join(folder, 'schemakit.lock.json'),
    run: (...args) => runCommand(args, { cwd: folder, env }),
    call: () => startCommand(['call', 'shop.mjs::tool::getThing'], { cwd: folder, env }),
    edit(from, to) {
      const before = readFileSync(file, 'utf8');
      const after = before.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to);
      expect(after).not.toBe(before);
      writeFileSync(file, after);
    },
  };
}

function entries(lockFile: string): Record<string, { grants: unknown; main: string }> {
  return JSON.parse(readFileSync(lockFile, 'utf8')).schemas;
}

describe('schemakit trust', () => {
  test('says what a schema wants, and trusts nothing unless it is told to', async () => {
    const { run, lockFile } = await shop({
      handlers: "() => ({ getThing: { postRequest: async () => fetch('https://other.example.com/x') } })",
    });
    const { status, json } = run('trust', 'shop.mjs', '--secret', 'SHOP_KEY');
    expect(status).toBe(1);
    expect(json).toEqual({
      status: false,
      error: 'Nothing was trusted: cannot ask without a terminal.',
      messages: ['Nothing was trusted: cannot ask without a terminal.'],
      fix: 'Review the schemas above, then run: schemakit trust shop.mjs --secret SHOP_KEY --yes',
      lockFile: 'schemakit.lock.json',
      schemas: [
        {
          file: 'shop.mjs',
          state: 'new',
          changes: [],
          root: 'https://api.example.com',
          secrets: ['SHOP_KEY'],
          hooks: ['getThing.postRequest'],
          hosts: ['other.example.com'],
          libraries: [],
          lists: [],
          scan: [],
          reads: [],
          grants: { network: [], secrets: ['SHOP_KEY'] },
        },
      ],
    });
    expect(existsSync(lockFile)).toBe(false);
  });

  test('writes the same file for the same schemas, and nothing where nothing is new', async () => {
    const { run, lockFile } = await shop();
    expect(run('trust', 'shop.mjs', '--yes').status).toBe(0);
    const text = readFileSync(lockFile, 'utf8');
    // Nobody is asked: there is nothing to decide.
    expect(run('trust', 'shop.mjs').status).toBe(0);
    expect(readFileSync(lockFile, 'utf8')).toBe(text);
    rmSync(lockFile);
    expect(run('trust', '.', '--yes').status).toBe(0);
    expect(readFileSync(lockFile, 'utf8')).toBe(text);
  });

  test('takes nothing that does not load', async () => {
    const { run, lockFile, edit } = await shop();
    edit('"namespace": "shop"', '"namespace": "Shop 1"');
    const { status, json } = run('trust', 'shop.mjs', '--yes');
    expect({ status, fix: json.fix }).toEqual({ status: 4, fix: 'Run: schemakit validate shop.mjs' });
    expect(existsSync(lockFile)).toBe(false);
  });

  test.each([
    [['--secret', 'SHOP_KYE'], 'None of the schemas declares the secret SHOP_KYE.', 'They declare: SHOP_KEY.'],
    [['--network', 'example.com'], '"example.com" is not an origin.', 'Write --network https://api.example.com'],
    [['--network', 'https://a.example/path'], '"https://a.example/path" is not an origin.', 'Write --network'],
  ])('%j is refused', async (flags, error, fix) => {
    const { run } = await shop();
    const { status, json } = run('trust', 'shop.mjs', '--yes', ...flags);
    expect(status).toBe(2);
    expect(json).toMatchObject({ error, fix: expect.stringContaining(fix) });
  });

  test('adds grants to those that there are, and takes away what is revoked', async () => {
    const { run, lockFile } = await shop();
    const grants = () => entries(lockFile)['shop.mjs']?.grants;
    run('trust', 'shop.mjs', '--yes', '--secret', 'SHOP_KEY');
    run('trust', 'shop.mjs', '--yes', '--network', 'https://b.example.com/', '--network', 'HTTPS://A.example.com');
    expect(grants()).toEqual({ network: ['https://a.example.com', 'https://b.example.com'], secrets: ['SHOP_KEY'] });
    expect(run('trust', '--revoke', 'shop.mjs', '--secret', 'SHOP_KEY').json).toMatchObject({ revoked: ['shop.mjs'] });
    expect(grants()).toEqual({ network: ['https://a.example.com', 'https://b.example.com'], secrets: [] });
    run('trust', '--revoke', 'shop.mjs', '--network', 'any');
    expect(grants()).toEqual({ network: [], secrets: [] });
    expect(run('trust', '--revoke', 'shop.mjs').status).toBe(0);
    expect(entries(lockFile)).toEqual({});
    expect(run('trust', '--revoke', 'shop.mjs').json.error).toBe('schemakit.lock.json has no entry for shop.mjs.');
  });

  test('gives a secret only to the schemas that ask for it', async () => {
    const folder = await temporaryFolder({
      'shop.mjs': moduleText(mainWith({ requiredServerParams: ['SHOP_KEY'] })),
      'other.mjs': moduleText(mainWith({ namespace: 'other' })),
    });
    runCommand(['trust', '.', '--yes', '--secret', 'SHOP_KEY'], { cwd: folder });
    const { 'shop.mjs': shop, 'other.mjs': other } = entries(join(folder, 'schemakit.lock.json'));
    expect([shop?.grants, other?.grants]).toEqual([
      { network: [], secrets: ['SHOP_KEY'] },
      { network: [], secrets: [] },
    ]);
  });

  test('uses the nearest lock file above, or the one that is named', async () => {
    const folder = await temporaryFolder({ 'a/b/shop.mjs': moduleText(mainWith()) });
    runCommand(['trust', 'a/b/shop.mjs', '--yes'], { cwd: folder });
    const options = { cwd: join(folder, 'a/b') };
    expect(runCommand(['trust', 'shop.mjs'], options).json.lockFile).toBe('../../schemakit.lock.json');
    expect(runCommand(['trust', 'shop.mjs', '--lock', 'own.json'], options).json.fix).toContain(
      'schemakit trust shop.mjs --yes --lock own.json',
    );
    runCommand(['trust', 'shop.mjs', '--lock', 'own.json', '--yes'], options);
    expect(Object.keys(entries(join(folder, 'a/b/own.json')))).toEqual(['shop.mjs']);
  });

  test('loses nothing when many run at once', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `s${index}.mjs`);
    const files = names.map((name, index) => [name, moduleText(mainWith({ namespace: `s${'x'.repeat(index)}` }))]);
    const folder = await temporaryFolder(Object.fromEntries(files));
    const runs = await Promise.all(names.map((name) => startCommand(['trust', name, '--yes'], { cwd: folder })));
    expect(runs.map(({ status }) => status)).toEqual(names.map(() => 0));
    expect(Object.keys(entries(join(folder, 'schemakit.lock.json')))).toEqual(names);
  });
});

describe('a schema that was trusted', () => {
  test('is refused once it changed, by every command, with the command that accepts it', async () => {
    const upstream = await startUpstream();
    const { run, call, edit } = await shop({ root: upstream.origin });
    run('trust', 'shop.mjs', '--yes');
    edit(upstream.origin, `${upstream.origin}/v2`);
    const error = `this is not the schema that was trusted: root changed from ${upstream.origin} to ${upstream.origin}/v2`;
    const fix = 'Review the changes. If you trust it: schemakit trust shop.mjs';
    expect(await call()).toMatchObject({ status: 1, json: { status: false, error, fix } });
    expect(run('call', 'list-tools', '.')).toMatchObject({ status: 1, json: { toolCount: 0, error, fix } });
    expect(run('validate', '.')).toMatchObject({ status: 1, json: { failed: 1 } });
    expect(run('run', '.')).toMatchObject({ status: 1, json: {}, stderr: expect.stringContaining(fix) });
    expect(upstream.requests).toEqual([]);
    // What the advice says is what helps; the answer to its question is given here.
    const command = fix.split('trust it: ')[1] ?? '';
    expect(run(...command.split(' ').slice(1), '--yes').status).toBe(0);
    expect(run('validate', '.').status).toBe(0);
  });

  test.each([
    ['handlers', "'X-Sign'", "'X-Sing'", 'handlers changed'],
    [
      'a host',
      'struct.headers',
      "await fetch('https://evil.example'); struct.headers",
      '1 host in handlers added (evil.example)',
    ],
    ['a tool', '"/thing"', '"/things"', '1 tool changed (getThing)'],
    [
      'a tool more',
      '"getThing": {',
      '"other": { "method": "GET", "path": "/o" }, "getThing": {',
      '1 tool added (other)',
    ],
    ['headers', '"headers": {}', '"headers": { "A": "b" }', '1 field of main changed (headers)'],
    ['a secret', '["SHOP_KEY"]', '["SHOP_KEY", "PATH"]', '1 secret added (PATH)'],
  ])('says that %s changed', async (_, from, to, change) => {
    const { run, file, lockFile, edit } = await shop();
    run('trust', 'shop.mjs', '--yes');
    edit(/\[\n {4}"SHOP_KEY"\n {2}\]/, '["SHOP_KEY"]');
    expect((await SchemaKit.loadSchema({ filePath: file, lockFile })).status).toBe(true);
    edit(from, to);
    const { status, findings } = await SchemaKit.loadSchema({ filePath: file, lockFile });
    expect(status).toBe(false);
    const [finding] = findings.filter(({ code }) => code === 'LCK004');
    expect(finding?.message).toContain(change);
  });

  test('may have other line endings, comments and indentation', async () => {
    const { run, file } = await shop();
    run('trust', 'shop.mjs', '--yes');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `// A comment\n${text.replace('getThing: {', 'getThing: { // what')}`.replaceAll('\n', '\r\n'));
    expect(run('validate', 'shop.mjs').status).toBe(0);
  });

  test('is held to the entries of its lists', async () => {
    const list = (name: string) =>
      `export const list = { meta: { name: 'chains', version: '1.0.0' }, entries: [{ name: '${name}' }] };`;
    const folder = await temporaryFolder({
      'shop.mjs': moduleText(mainWith({ sharedLists: [{ ref: 'chains', version: '1.0.0' }] })),
      '_lists/chains.mjs': list('one'),
    });
    const run = (...args: string[]) => runCommand(args, { cwd: folder });
    run('trust', 'shop.mjs', '--yes');
    expect(run('validate', 'shop.mjs').status).toBe(0);
    writeFileSync(join(folder, '_lists/chains.mjs'), `// one more line\n${list('one')}`);
    expect(run('validate', 'shop.mjs').status).toBe(0);
    writeFileSync(join(folder, '_lists/chains.mjs'), list('two'));
    const { status, stderr } = run('validate', 'shop.mjs');
    expect(status).toBe(1);
    expect(stderr).toContain('1 shared list changed (chains)');
  });

  test('cannot be exchanged for a link', async () => {
    const { run, file, folder } = await shop();
    run('trust', 'shop.mjs', '--yes');
    writeFileSync(join(folder, 'evil.mjs'), moduleText(mainWith({ root: 'https://evil.example' })));
    rmSync(file);
    symlinkSync('evil.mjs', file);
    expect(run('call', 'list-tools', 'shop.mjs').json.error).toContain('to https://evil.example');
  });

  test('is the same through a link', async () => {
    const { run, folder, edit } = await shop();
    run('trust', 'shop.mjs', '--yes');
    symlinkSync('shop.mjs', join(folder, 'link.mjs'));
    expect(run('validate', 'link.mjs').status).toBe(0);
    edit('api.example.com', 'evil.example');
    expect(run('validate', 'link.mjs').status).toBe(1);
  });

  test('is missed when it is gone', async () => {
    const { run, file, lockFile } = await shop();
    run('trust', 'shop.mjs', '--yes');
    rmSync(file);
    const { status, stderr } = run('validate', '.');
    expect(status).toBe(3);
    expect(stderr).toContain('LCK006: the lock file has an entry for shop.mjs, which does not exist');
    expect(stderr).toContain('schemakit trust shop.mjs --revoke');
    expect(run('trust', 'shop.mjs', '--revoke').status).toBe(0);
    expect(entries(lockFile)).toEqual({});
  });

  test('has another name: its entry is missed, and its grants are gone', async () => {
    const upstream = await startUpstream();
    const { run, file, folder } = await shop({ root: upstream.origin });
    run('trust', 'shop.mjs', '--yes', '--secret', 'SHOP_KEY');
    renameSync(file, join(folder, 'store.mjs'));
    expect(run('validate', '.').stderr).toContain('an entry for shop.mjs, which does not exist');
    const { json } = await startCommand(['call', 'store.mjs::tool::getThing'], { cwd: folder, env });
    expect(json.fix).toContain('schemakit trust store.mjs --secret SHOP_KEY');
    expect(upstream.requests).toEqual([]);
  });

  test('keeps its grants when a change is trusted', async () => {
    const { run, lockFile, edit } = await shop();
    run('trust', 'shop.mjs', '--yes', '--secret', 'SHOP_KEY');
    const before = entries(lockFile)['shop.mjs'];
    edit('"/thing"', '"/things"');
    const { json } = run('trust', 'shop.mjs', '--yes');
    expect(json.schemas).toMatchObject([
      { state: 'changed', changes: ['1 tool changed (getThing)'], grants: { secrets: ['SHOP_KEY'] } },
    ]);
    const after = entries(lockFile)['shop.mjs'];
    expect(after?.grants).toEqual(before?.grants);
    expect(after?.main).not.toBe(before?.main);
  });
});

describe('what was granted', () => {
  test('lets a handler read a secret, and nothing is sent before', async () => {
    const upstream = await startUpstream(() => ({ body: { ok: true } }));
    const { call, folder } = await shop({ root: upstream.origin });
    const before = await call();
    expect(before).toMatchObject({ status: 6, json: { error: expect.stringContaining('the secret SHOP_KEY') } });
    expect(upstream.requests).toEqual([]);
    const advice = /schemakit trust shop\.mjs --secret SHOP_KEY/.exec(String(before.json.fix))?.[0];
    expect(advice).toBeDefined();
    const bin = join(process.cwd(), 'packages/cli/bin/schemakit.js');
    const shell = `${advice?.replace('schemakit', `'${process.execPath}' '${bin}'`)} --yes`;
    expect(spawnSync('sh', ['-c', shell], { cwd: folder }).status).toBe(0);
    expect(await call()).toMatchObject({ status: 0, json: { content: { ok: true } } });
    expect(upstream.requests[0]?.headers['x-sign']).toBe([...env.SHOP_KEY].reverse().join(''));
  });

  test('lets a handler reach another origin', async () => {
    const [upstream, other] = [
      await startUpstream(() => ({ body: {} })),
      await startUpstream(() => ({ body: { n: 7 } })),
    ];
    const { call, run } = await shop({
      root: upstream.origin,
      handlers: `() => ({ getThing: { postRequest: async () => ({ response: await (await fetch('${other.origin}/n')).json() }) } })`,
    });
    const before = await call();
    expect(before.json.fix).toContain(`schemakit trust shop.mjs --network ${other.origin}`);
    expect(other.requests).toEqual([]);
    run('trust', 'shop.mjs', '--yes', '--network', other.origin);
    expect((await call()).json.content).toEqual({ n: 7 });
  });
});

describe.runIf(hasTerminal)('at a terminal', () => {
  test('a person is shown what a schema wants, and asked', async () => {
    const { folder, lockFile } = await shop();
    const no = await runAtTerminal(['trust', 'shop.mjs', '--secret', 'SHOP_KEY'], 'n\n', { cwd: folder });
    expect(no.status).toBe(1);
    expect(no.screen).toMatch(/sends requests to +https:\/\/api\.example\.com/);
    expect(no.screen).toMatch(/handlers may read +SHOP_KEY/);
    expect(existsSync(lockFile)).toBe(false);
    const yes = await runAtTerminal(['trust', 'shop.mjs', '--secret', 'SHOP_KEY'], 'y\n', { cwd: folder });
    expect(yes.status).toBe(0);
    expect(yes.screen).toContain('Trusted shop.mjs in schemakit.lock.json.');
    expect(Object.keys(entries(lockFile))).toEqual(['shop.mjs']);
  });

  test('the end of the input is no answer', async () => {
    const { folder, lockFile } = await shop();
    expect((await runAtTerminal(['trust', 'shop.mjs'], '\u0004', { cwd: folder })).status).toBe(1);
    expect(existsSync(lockFile)).toBe(false);
  });

  test('a call of a schema that changed asks, and goes on after a yes', async () => {
    const upstream = await startUpstream(() => ({ body: { ok: true } }));
    const { folder, run, edit } = await shop({ root: upstream.origin });
    run('trust', 'shop.mjs', '--yes', '--secret', 'SHOP_KEY');
    edit('"/thing"', '"/things"');
    const args = ['call', 'shop.mjs::tool::getThing'];
    const no = await runAtTerminal(args, '\n', { cwd: folder, env });
    expect(no.screen).toContain('1 tool changed (getThing)');
    expect(no.screen).toContain('Grants: handlers may read SHOP_KEY');
    expect(no.status).toBe(1);
    expect(upstream.requests).toEqual([]);
    const yes = await runAtTerminal(args, 'yes\n', { cwd: folder, env });
    expect(yes.screen).toContain('"ok": true');
    expect(yes.status).toBe(0);
    expect(upstream.requests).toMatchObject([{ path: '/things' }]);
  });

  test('a schema cannot write to it with control characters', async () => {
    const { folder } = await shop({ main: { requiredServerParams: ['SHOP_KEY', 'A\u001b[2J\u202eB'] } });
    const { screen } = await runAtTerminal(['trust', 'shop.mjs'], 'n\n', { cwd: folder });
    expect(screen).toContain('A\\u{1b}[2J\\u{202e}B');
    expect(screen).not.toContain('\u001b[2J');
  });
});

describe('a lock file that is not whole', () => {
  test.each([
    ['{ "lockVersion": 2 }', 'lockVersion 2'],
    ['{', 'is not JSON'],
  ])('%j is refused by every command, and left alone', async (text, problem) => {
    const { run, lockFile } = await shop();
    writeFileSync(lockFile, text);
    for (const args of [
      ['validate', '.'],
      ['run', '.'],
      ['call', 'list-tools', '.'],
      ['trust', '.', '--yes'],
    ]) {
      const { status, stderr } = run(...args);
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(problem) });
      expect(stderr).toMatch(/schemakit\.lock\.json:1:\d+: error LCK00[23]/);
    }
    expect(readFileSync(lockFile, 'utf8')).toBe(text);
  });

  test('one that is named has to be there', async () => {
    const { run } = await shop();
    expect(run('validate', '.', '--lock', 'none.json').stderr).toContain('LCK001: there is no lock file');
  });
});

describe('SchemaKit.loadSchema', () => {
  test('loads a file without an entry as always, unless it may not', async () => {
    const { file, lockFile, folder } = await shop();
    writeFileSync(lockFile, '{ "lockVersion": 1, "schemas": {} }');
    expect(await SchemaKit.loadSchema({ filePath: file, lockFile })).toMatchObject({ status: true, findings: [] });
    const refused = await SchemaKit.loadSchema({ filePath: file, lockFile, onUnlocked: 'refuse' });
    expect(refused).toMatchObject({ status: false, findings: [{ code: 'LCK005' }] });
    const missing = await SchemaKit.loadSchema({ filePath: file, lockFile: join(folder, 'none.json') });
    expect(missing).toMatchObject({ status: false, findings: [{ code: 'LCK001' }] });
    const without = await SchemaKit.loadSchema({ filePath: file, onUnlocked: 'refuse' });
    expect(without).toMatchObject({ status: false, findings: [{ code: 'ARG001' }] });
  });

  test('gives a trusted schema the grants of its entry and those of the caller', async () => {
    const upstream = await startUpstream(() => ({ body: {} }));
    const { file, lockFile } = await shop({ root: upstream.origin });
    const schema = await SchemaKit.loadSchema({ filePath: file });
    const { lock } = readLock({ lockFile, missing: 'empty' });
    const check = lock && checkLock({ lock, schema });
    expect(check?.state).toBe('new');
    const grants = { secrets: ['SHOP_KEY'] };
    const source = { source: 'https://git.example.com/shop', revision: 'abc123' };
    await trustSchemas({ lockFile, schemas: check ? [{ check, grants, ...source }] : [] });
    expect(entries(lockFile)['shop.mjs']).toMatchObject(source);
    const pinned = await SchemaKit.loadSchema({
      filePath: file,
      lockFile,
      grants: { network: ['https://b.example.com'] },
    });
    const { status } = await SchemaKit.fetch({ schema: pinned, routeName: 'getThing', serverParams: env });
    expect(status).toBe(true);
    expect(upstream.requests[0]?.headers['x-sign']).toBe([...env.SHOP_KEY].reverse().join(''));
  });

  test('what was shown is what is trusted, and not what the file holds by then', async () => {
    const { file, lockFile, edit, run } = await shop();
    const schema = await SchemaKit.loadSchema({ filePath: file });
    const { lock } = readLock({ lockFile, missing: 'empty' });
    const check = lock && checkLock({ lock, schema });
    edit('"/thing"', '"/evil"');
    expect(await trustSchemas({ lockFile, schemas: check ? [{ check }] : [] })).toMatchObject({ status: true });
    expect((await SchemaKit.loadSchema({ filePath: file, lockFile })).status).toBe(false);
    // Another process trusts the new content; what was shown here is not that.
    expect(run('trust', 'shop.mjs', '--yes').status).toBe(0);
    const late = await trustSchemas({ lockFile, schemas: check ? [{ check }] : [] });
    expect(late.findings).toMatchObject([
      { code: 'LCK007', message: expect.stringContaining('another process changed the entry') },
    ]);
  });

  test('a tool of a schema in a folder of its own is found by its path', async () => {
    const folder = await temporaryFolder({
      'schemas/deep/shop.mjs': moduleText(mainWith({ tools: { getThing: faultlessTool } })),
    });
    runCommand(['trust', 'schemas', '--yes'], { cwd: folder });
    expect(Object.keys(entries(join(folder, 'schemakit.lock.json')))).toEqual(['schemas/deep/shop.mjs']);
  });
});
