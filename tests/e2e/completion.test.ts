import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type CliProject, cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal } from './support/command.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';

const command = resolve('packages/cli/bin/schemakit.js');
const files = {
  'home/config.json': '{}',
  'home/schemas/lib/shop.mjs': shopSchema(['getThing', 'listThings']),
  'home/schemas/lib/tides.mjs': moduleText(
    mainWith({
      namespace: 'tides',
      tools: {
        getTides: {
          ...faultlessTool,
          parameters: [parameter('harbour', 'query', ['enum(brest,dover)']), parameter('day', 'query')],
        },
      },
    }),
  ),
  'project/.schemakit/groups/work.json': '{ "description": "", "tools": ["lib/shop.mjs::tool::getThing"] }',
  'project/.schemakit/groups/rest.json': '{ "description": "", "tools": [] }',
  'project/.schemakit/config.json':
    '{ "mode": "dev", "defaultGroup": "work", "environments": { "staging": { "roots": {} } } }',
};

function execute(
  { folder, home }: CliProject,
  ...args: string[]
): { stdout: string; stderr: string; status: number | null } {
  const env = { ...process.env, SCHEMAKIT_HOME: home };
  return spawnSync(process.execPath, [command, ...args], { cwd: folder, env, encoding: 'utf8' });
}

function proposed(project: CliProject, line: string, shell = 'fish'): string[] {
  const { stdout, stderr, status } = execute(project, '__complete', shell, line, ...(shell === 'bash' ? [':='] : []));
  expect([stderr, status]).toEqual(['', 0]);
  return stdout.split('\n').slice(0, -1);
}

const texts = (lines: readonly string[]) => lines.map((line) => line.split('\t')[0]);

describe('what is offered', () => {
  test.each([
    ['schemakit sea', ['search']],
    ['schemakit group ', ['list', 'append', 'remove', 'delete', 'rename', 'set-default']],
    ['schemakit group delete ', ['rest', 'work']],
    ['schemakit source ', ['list', 'remove']],
    ['schemakit export ', ['openapi', 'mcpb', 'server-json']],
    ['schemakit install c', ['claude-desktop', 'claude-code', 'cursor', 'codex']],
    ['schemakit install zed ', ['rest', 'work']],
    ['schemakit mode ', ['agent', 'dev']],
    ['schemakit completion ', ['bash', 'zsh', 'fish']],
    ['schemakit add shop', ['shop_getThing', 'shop_listThings']],
    ['schemakit add "shop_g', ['shop_getThing']],
    ['schemakit add lib/t', ['lib/tides.mjs']],
    ['schemakit add lib/shop.mjs::', ['lib/shop.mjs::tool::getThing', 'lib/shop.mjs::tool::listThings']],
    ['schemakit remove shop', ['shop_getThing']],
    ['schemakit list --group ', ['rest', 'work']],
    ['schemakit test project --env ', ['staging']],
    ['schemakit test project --quality ', ['library']],
    ['schemakit group set-default w', ['work']],
    ['schemakit group append work --tools shop_getThing,ti', ['shop_getThing,tides_getTides']],
    ['schemakit call ti', ['tides_getTides']],
    ['schemakit call li', ['list-tools']],
    ['schemakit call tides_getTides ', ['harbour=', 'harbour=brest', 'harbour=dover', 'day=']],
    ['schemakit call tides_getTides harbour=', ['harbour=brest', 'harbour=dover']],
    ['schemakit call tides_getTides harbour=brest ', ['day=']],
    ['schemakit list --gr', ['--group']],
    ['schemakit help se', ['search', 'serve']],
    ['schemakit list --', ['--group', '--long', '--lock', '--cwd', '--allow-library', '--json', '--help']],
    ['schemakit run --no', ['--no-apps', '--no-cache', '--no-watch']],
    ['schemakit call --ca', []],
    ['schemakit describe shop_g', ['shop_getThing']],
    ['schemakit --json mode d', ['dev']],
  ])('%s', async (line, expected) => {
    const project = await cliProject(files);
    expect(texts(proposed(project, line))).toEqual(expected);
  });

  test('what a word is for is said to shells that show it', async () => {
    const project = await cliProject(files);
    expect(proposed(project, 'schemakit sea')).toEqual(['search\tSearch tools by keywords, best match first']);
    expect(proposed(project, 'schemakit sea', 'zsh')).toEqual(['search:Search tools by keywords, best match first']);
    expect(proposed(project, 'schemakit sea', 'bash')).toEqual(['search']);
    expect(proposed(project, 'schemakit add lib/shop.mjs::tool::g', 'zsh')).toEqual([
      'lib/shop.mjs\\:\\:tool\\:\\:getThing',
    ]);
    // Bash takes what stands before the colons for a word of its own.
    expect(proposed(project, 'schemakit add lib/shop.mjs::tool::g', 'bash')).toEqual(['getThing']);
  });

  test('--cwd is where the names come from', async () => {
    const project = await cliProject(files);
    const other = join(project.folder, 'other');
    mkdirSync(join(other, 'schemas'), { recursive: true });
    writeFileSync(join(other, 'schemas/own.mjs'), shopSchema(['getOwn'], { namespace: 'own' }));
    expect(texts(proposed(project, `schemakit --cwd ${other} add own`))).toEqual(['own_getOwn']);
    expect(proposed(project, 'schemakit --cwd ')).toEqual([]);
  });
});

describe('nothing is offered, and nothing said', () => {
  test.each([
    'schemakit nope ',
    'schemakit nope nope',
    'schemakit add nothing_like_it',
    'schemakit --cwd /no/such/folder add sh',
    'schemakit call nothing ',
    'schemakit list --nope x',
    "schemakit add 'unclosed",
    'schemakit add \\',
    'schemakit run ./sch',
  ])('%s', async (line) => {
    expect(proposed(await cliProject(files), line)).toEqual([]);
  });

  test.each([
    ['settings that are no JSON', { 'project/.schemakit/config.json': '{', 'home/config.json': '[' }],
    ['an index that cannot be written', { 'home/cache/index': 'a file' }],
    ['a schema that does not load', { 'home/schemas/lib/broken.mjs': 'export const main = {' }],
  ])('of %s', async (_, more) => {
    const project = await cliProject({ ...files, ...more });
    expect(texts(proposed(project, 'schemakit add shop_g'))).toEqual(['shop_getThing']);
  });
});

describe('schemakit completion', () => {
  test.each(['bash', 'zsh', 'fish'])('prints the script of %s, into a pipe too', async (shell) => {
    const project = await cliProject();
    const { stdout, stderr, status } = execute(project, 'completion', shell);
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toContain(`__complete ${shell}`);
    expect(project.run('completion', shell, '--json').json).toEqual({ status: true, shell, script: stdout });
  });

  test('says which shells there are, and how to install it', async () => {
    const project = await cliProject();
    expect(project.run('completion', 'tcsh')).toMatchObject({
      status: 2,
      json: { error: expect.stringContaining('expected bash, zsh, fish') },
    });
    expect(project.run('completion').status).toBe(2);
    const { stdout } = execute(project, 'completion', '--help');
    expect(stdout).toContain('source <(schemakit completion bash)');
    expect(execute(project, '--help').stdout).not.toContain('__complete');
  });
});

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const lines = ['add shop_g', 'add lib/shop.mjs::tool::l', 'mode d', 'group append work --tools shop_getThing,t'];
const completed = [
  'add shop_getThing',
  'add lib/shop.mjs::tool::listThings',
  'mode dev',
  'group append work --tools shop_getThing,tides_getTides',
];

/** A `schemakit` on the path that answers the shell, and otherwise says what it was called with. */
function shellEnvironment({ folder, home }: CliProject): NodeJS.ProcessEnv {
  const bin = join(home, '..', 'bin');
  mkdirSync(bin, { recursive: true });
  const real = `exec '${process.execPath}' '${command}' "$@"`;
  const text = `#!/bin/sh\ncase "$1" in (__complete|completion) ${real};; esac\necho "called with: $*."\n`;
  writeFileSync(join(bin, 'schemakit'), text, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}:${process.env.PATH}`, HOME: folder, SCHEMAKIT_HOME: home, TERM: 'dumb' };
}

/** Types lines into a shell at a terminal, each with a tab at its end; gives what `schemakit` was called with. */
async function typeInto(shell: string, project: CliProject): Promise<string[]> {
  const { stdin, stdout } = spawn('script', ['--quiet', '--command', shell, '/dev/null'], {
    cwd: project.folder,
    env: shellEnvironment(project),
    timeout: 60_000,
  });
  const shown = screenReader(stdout);
  const calls: string[] = [];
  for (const [index, line] of lines.entries()) {
    await shown(/ready> /);
    stdin.write(`schemakit ${line}\t`);
    // Shells take a tab for a tab while more is typed already.
    await shown(new RegExp(`schemakit ${completed[index]}`));
    stdin.write('\n');
    const [, words = ''] = await shown(/called with: (.*)\.\r?\n/);
    calls.push(words);
  }
  stdin.end('exit\n');
  await once(stdout, 'close');
  return calls;
}

/** Waits until something was written after what was waited for before. */
function screenReader(stream: Readable): (pattern: RegExp) => Promise<RegExpExecArray> {
  let screen = '';
  let look = () => {};
  let fail = () => {};
  stream.once('close', () => fail());
  stream.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    look();
  });
  return (pattern) =>
    new Promise((found, failed) => {
      fail = () => failed(new Error(`${pattern} was not shown, but: ${JSON.stringify(screen)}`));
      look = () => {
        const match = pattern.exec(screen);
        if (match === null) return;
        look = () => {};
        screen = screen.slice(match.index + match[0].length);
        found(match);
      };
      look();
    });
}

describe.runIf(hasTerminal && has('bash'))('bash', () => {
  test('completes what is typed at a terminal', async () => {
    const project = await cliProject({
      ...files,
      rc: 'source <(schemakit completion bash)\nPS1="ready> "\n',
    });
    expect(await typeInto(`bash --noprofile --rcfile '${join(project.home, '..', 'rc')}' -i`, project)).toEqual(
      completed,
    );
  });
});

describe.runIf(hasTerminal && has('zsh'))('zsh', () => {
  test('completes what is typed at a terminal', async () => {
    const project = await cliProject({
      ...files,
      'project/.zshrc': 'autoload -Uz compinit\ncompinit -u\nsource <(schemakit completion zsh)\nPS1="ready> "\n',
    });
    expect(await typeInto('zsh -i', project)).toEqual(completed);
  });
});

describe.runIf(has('fish'))('fish', () => {
  test('completes what is typed', async () => {
    const project = await cliProject(files);
    const script = ['schemakit completion fish | source', ...lines.map((line) => `complete -C 'schemakit ${line}'`)];
    const { stdout } = spawnSync('fish', ['--no-config', '-c', script.join('\n')], {
      cwd: project.folder,
      env: shellEnvironment(project),
      encoding: 'utf8',
    });
    const last = completed.map((words) => words.split(' ').at(-1));
    expect(texts(stdout.trim().split('\n'))).toEqual(last);
  });
});
