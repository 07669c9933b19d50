import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { codeBlocks, localLinks, projectFolder, readPage } from '../docs/markdown.ts';
import { freePort } from './support/free-port.ts';

const names = ['http', 'core', 'server', 'validator', 'cli'] as const;
const run = promisify(execFile);
const { homedir } = userInfo();

/** A folder outside of this repository, with nothing in it but the packages as users get them. */
let folder: string;
let tarballs: { filename: string; name: string; files: { path: string }[] }[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemakit-packed-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const packages = names.flatMap((name) => ['--workspace', `packages/${name}`]);
  tarballs = JSON.parse(await npm(['pack', '--json', '--pack-destination', folder, ...packages], projectFolder));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  await npm(['install', ...quiet, ...tarballs.map(({ filename }) => join(folder, filename))], folder);
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** npm with the registry and the cache of this machine: the home of a test has none. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const user = { npm_config_userconfig: join(homedir, '.npmrc'), npm_config_cache: join(homedir, '.npm') };
  const { stdout } = await run('npm', args, { cwd, env: { ...process.env, ...user }, timeout: 200_000 });
  return stdout;
}

/** Runs a line of a page as a user's shell would: the only packages are those of the folder. */
function shell(line: string) {
  const path = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)];
  const env = {
    ...{ HOME: folder, npm_config_offline: 'true', npm_config_update_notifier: 'false' },
    PATH: path.filter((part) => !part.startsWith(projectFolder) || part === dirname(process.execPath)).join(delimiter),
  };
  return spawnSync('bash', ['--norc', '-c', line], { cwd: folder, env, encoding: 'utf8', timeout: 120_000 });
}

function installed(...path: string[]): string {
  return join(folder, 'node_modules', '@schemakit', ...path);
}

describe.each(names)('the tarball of %s', (name) => {
  test('has the license, the repository and a page whose links work in it', () => {
    const files = tarballs.find((tarball) => tarball.name === `@schemakit/${name}`)?.files.map(({ path }) => path);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    const { repository, license } = JSON.parse(readFileSync(installed(name, 'package.json'), 'utf8'));
    expect({ license, directory: repository.directory }).toEqual({ license: 'MIT', directory: `packages/${name}` });
    const page = readFileSync(installed(name, 'README.md'), 'utf8');
    const links = localLinks(page).filter((link) => !link.startsWith('#') && !existsSync(installed(name, link)));
    expect(links).toEqual([]);
    expect(page).toContain(`@schemakit/${name}`);
  });
});

test('the page of the command and docs/command.md list every command', () => {
  const { stdout } = shell("npx schemakit __complete fish 'schemakit '");
  const commands = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
  expect(commands.length).toBeGreaterThan(20);
  const has = (page: string, form: (command: string) => string) =>
    commands.filter((command) => !new RegExp(`${form(command)}[ \`]`).test(page));
  expect(has(readFileSync(installed('cli', 'README.md'), 'utf8'), (command) => `\`schemakit ${command}`)).toEqual([]);
  expect(has(readPage('docs/command.md'), (command) => `\`${command}`)).toEqual([]);
});

test('everything that the command needs stays under 50 MB', () => {
  const sizes = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }).map((entry) =>
    entry.isFile() ? lstatSync(join(entry.parentPath, entry.name)).size : 0,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(50_000_000);
});

describe('the README', () => {
  const blocks = codeBlocks(readPage('README.md'));
  const fileOf = (name: string) => blocks.find(({ words }) => words[1] === name)?.text ?? '';

  test('its first commands work where only the packages are', async () => {
    const port = await freePort();
    for (const name of ['tide-api.mjs', 'tides.mjs']) {
      await writeFile(join(folder, name), fileOf(name).replaceAll('4849', String(port)));
    }
    const api = spawn(process.execPath, ['tide-api.mjs'], { cwd: folder, stdio: 'ignore' });
    onTestFinished(() => void api.kill());
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/`).catch(() => null)).not.toBeNull();
    const shown = blocks.flatMap(({ language, words: [kind], text }, index) =>
      language === 'sh' && kind === 'run' ? { text, output: blocks[index + 1] } : [],
    );
    expect(shown.length).toBeGreaterThanOrEqual(3);
    for (const { text, output } of shown) {
      const { status, stdout, stderr } = shell(text);
      expect(status, stdout + stderr).toBe(0);
      if (output?.words[0] === 'output') expect(stdout).toBe(output.text);
    }
  }, 180_000);
});

test('a program in TypeScript is checked with the types of the packages, and runs', async () => {
  const program = `
    import { exposeSchemas, loadSchemas, SchemaKit } from '@schemakit/core';
    import { readLock } from '@schemakit/core/lock';
    import { createHttpClient } from '@schemakit/http';
    import { createServer } from '@schemakit/server';
    import { McpServerValidator } from '@schemakit/validator';

    const { schemas } = await loadSchemas({ paths: ['node_modules/@schemakit/cli/dist/catalog/demo/garden.mjs'] });
    const server = createServer(schemas, { serverParams: { GARDEN_KEY: 'none' } });
    const names: string[] = exposeSchemas(schemas).map(({ listing }) => listing.name);
    const known: boolean = SchemaKit.validateMain({ main: schemas[0]?.main }).status;
    const parts = [readLock, createHttpClient, McpServerValidator.start, server.http].map((part) => typeof part);
    console.log(names.includes('garden__getPlant'), known, new Set(parts).size);
  `;
  await writeFile(join(folder, 'program.ts'), program);
  const options = {
    ...{ module: 'nodenext', target: 'es2024', strict: true, skipLibCheck: false, noEmit: true },
    ...{ types: ['node'], typeRoots: [join(projectFolder, 'node_modules', '@types')] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  const checked = spawnSync(process.execPath, [compiler, '--project', folder], { encoding: 'utf8', timeout: 120_000 });
  expect(checked.stdout).toBe('');
  const { stdout, stderr } = shell('node --experimental-strip-types --no-warnings program.ts');
  expect(stdout + stderr).toBe('true true 1\n');
}, 180_000);

const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (node) => existsSync(node) && Number(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.slice(1, 3)) < 22,
);

describe.skipIf(old === undefined)('an old Node', () => {
  const line = /^(Error: SchemaKit|schemakit) needs Node\.js 22\.19 or newer; this is \d+\.\d+\.\d+\.$/m;

  test('gets one line from the command', () => {
    const { status, stderr } = spawnSync(old ?? '', [installed('cli', 'bin', 'schemakit.js'), 'list'], {
      encoding: 'utf8',
    });
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
    expect(stderr).toMatch(line);
  });

  test.each(['http', 'core', 'core/lock', 'core/v1', 'server', 'validator'])('gets it from %s', (name) => {
    const source = `import('@schemakit/${name}').catch((error) => console.error(String(error)))`;
    const { stderr } = spawnSync(old ?? '', ['--input-type=module', '--eval', source], {
      ...{ cwd: folder, encoding: 'utf8' },
    });
    expect(stderr.trim()).toMatch(line);
  });
});
