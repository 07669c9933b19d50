import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientNames, clients } from '../../packages/cli/src/commands/install/clients.ts';
import { editSettings } from '../../packages/cli/src/commands/install/edit-settings.ts';
import { type CliProject, cliProject, shopSchema } from './support/cli-project.ts';
import { hasTerminal } from './support/command.ts';
import { openTerminal } from './support/terminal-session.ts';

/** Where each client looks on Linux, below the home folder and below a project. */
const files = {
  'claude-desktop': ['.config/Claude/claude_desktop_config.json', undefined, 'mcpServers'],
  'claude-code': ['.claude.json', '.mcp.json', 'mcpServers'],
  cursor: ['.cursor/mcp.json', '.cursor/mcp.json', 'mcpServers'],
  vscode: ['.config/Code/User/mcp.json', '.vscode/mcp.json', 'servers'],
  zed: ['.config/zed/settings.json', '.zed/settings.json', 'context_servers'],
  codex: ['.codex/config.toml', '.codex/config.toml', 'mcp_servers'],
} as const;

interface Entry {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** What a client reads from its settings. */
function entryIn(text: string, client: keyof typeof files, name: string): Entry {
  const document = client === 'codex' ? parseToml(text) : JSON.parse(text);
  return (document[files[client][2]] as Record<string, Entry>)[name] as Entry;
}

/** Starts an entry as a client may: from the root folder, with nothing in the environment. */
async function toolsOf({ command, args, env = {} }: Entry): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  const nothing = { PATH: '', HOME: '/nonexistent', ...env };
  await client.connect(new StdioClientTransport({ command, args, cwd: '/', env: nothing, stderr: 'ignore' }));
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function project(more: Record<string, string> = {}, env: Record<string, string> = {}): Promise<CliProject> {
  const made = await cliProject(
    { 'project/schemas/shop.mjs': shopSchema(['getThing', 'listThings']), ...more },
    { XDG_CONFIG_HOME: '', ...env },
  );
  made.run('group', 'append', 'work', '--tools', 'shop_getThing');
  return made;
}

describe.runIf(process.platform === 'linux').each(clientNames)('%s', (client) => {
  const [userFile, projectFile] = files[client];

  test('gets an entry that starts from any folder without a path, once', async () => {
    const { run, read, folder } = await project();
    const first = run('install', client, '--yes');
    expect(first).toMatchObject({
      status: 0,
      json: { action: 'added', name: 'schemakit', group: 'work', backup: null },
    });
    const entry = entryIn(read(userFile), client, 'schemakit');
    expect(entry).toEqual(first.json.entry);
    expect(entry.args).toEqual([expect.stringContaining('schemakit.js'), '--cwd', folder, 'run']);
    expect(await toolsOf(entry)).toEqual(['shop__getThing']);
    expect(run('install', client, '--yes').json).toMatchObject({ action: 'unchanged' });
    expect(run('install', client, 'work', '--yes').json).toMatchObject({ action: 'added', name: 'schemakit-work' });
    const named = entryIn(read(userFile), client, 'schemakit-work');
    expect(named.args.slice(-2)).toEqual(['--group', 'work']);
    expect(await toolsOf(named)).toEqual(['shop__getThing']);
    expect(entryIn(read(userFile), client, 'schemakit')).toEqual(entry);
  });

  test('is shown with --print, and nothing is written', async () => {
    const { run, has } = await project();
    const { status, json } = run('install', client, '--print');
    expect(status).toBe(0);
    expect(entryIn(String(json.config), client, 'schemakit')).toEqual(json.entry);
    expect(has(userFile)).toBe(false);
  });

  test('has settings of a project, or none', async () => {
    const { run, read } = await project();
    const { status, json } = run('install', client, '--project', '--yes');
    if (projectFile === undefined) expect(json.error).toBe('Claude Desktop has no settings for projects.');
    else expect(entryIn(read(`project/${projectFile}`), client, 'schemakit')).toEqual(json.entry);
    expect(status).toBe(projectFile === undefined ? 2 : 0);
  });
});

describe('settings that are there', () => {
  const zed = '.config/zed/settings.json';
  const before = `// My settings
{
    "theme": "One Dark", // dark
    "context_servers": {
        /* another server */
        "other": { "command": "other", "args": [], },
    },
}
`;

  test('keep comments, order and indentation', async () => {
    const { run, read, has } = await project({ [zed]: before });
    const { json } = run('install', 'zed', '--yes');
    const text = read(zed);
    for (const kept of ['// My settings', '"One Dark", // dark', '/* another server */', '        "other": {']) {
      expect(text).toContain(kept);
    }
    expect(text).toContain('        "schemakit": {\n            "command"');
    const base = zed.slice(0, zed.lastIndexOf('/'));
    expect(has(base)).toBe(true);
    expect(read(String(json.backup).slice(String(json.backup).indexOf('.config')))).toBe(before);
  });

  test('keep what the user added to the entry, and say what was replaced', async () => {
    const old = { command: 'old', args: ['x'], env: { A: '1' }, disabled: false };
    const { run, json } = await project({ '.cursor/mcp.json': JSON.stringify({ mcpServers: { schemakit: old } }) });
    expect(run('install', 'cursor', '--yes').json).toMatchObject({ action: 'replaced', replaced: old });
    const { mcpServers } = json('.cursor/mcp.json') as { mcpServers: { schemakit: object } };
    expect(mcpServers.schemakit).toMatchObject({ env: { A: '1' }, disabled: false, command: process.execPath });
  });

  test('of Codex keep everything else, comments included', async () => {
    const toml = `# mine
model = "o5" # the best

[mcp_servers]
[mcp_servers.schemakit] # old
command = "old"
args = [
  "[not a table]",
]
startup_timeout_sec = 20

[mcp_servers.schemakit.env]
A = "1"

[mcp_servers."other.one"]
command = "other"
`;
    const { run, read, home } = await project({ '.codex/config.toml': toml });
    expect(run('install', 'codex', '--yes').json).toMatchObject({ action: 'replaced' });
    const text = read('.codex/config.toml');
    expect(text).toMatch(/^# mine\nmodel = "o5" # the best\n/);
    expect(text).toContain('[mcp_servers."other.one"]\ncommand = "other"\n');
    expect(entryIn(text, 'codex', 'schemakit')).toMatchObject({
      command: process.execPath,
      startup_timeout_sec: 20,
      env: { A: '1', SCHEMAKIT_HOME: home },
    });
    expect(run('install', 'codex', '--yes').json).toMatchObject({ action: 'unchanged' });
  });

  test.each([
    ['cursor', '.cursor/mcp.json', '{ "mcpServers": {'],
    ['cursor', '.cursor/mcp.json', '[]'],
    ['cursor', '.cursor/mcp.json', '{ "mcpServers": 1 }'],
    ['cursor', '.cursor/mcp.json', '{ "mcpServers": {}, "mcpServers": {} , "x": 1 , "mcpServers": { "a": {} } }'],
    ['codex', '.codex/config.toml', 'model = '],
    ['codex', '.codex/config.toml', 'mcp_servers = { other = { command = "x" } }'],
  ] as const)('%s: %s that cannot be edited stays as it is: %s', async (client, file, text) => {
    const { run, read, folder } = await project({ [file]: text });
    const { status, json } = run('install', client, '--yes');
    expect({ status, fix: json.fix }).toEqual({ status: 1, fix: expect.stringContaining('--print') });
    expect(read(file)).toBe(text);
    expect(readdirSync(join(folder, '..', file, '..'))).toHaveLength(1);
  });

  test('of Codex keep the place of the table, and comments before the next one', () => {
    const toml =
      '# top\n[mcp_servers.s]\ncommand = "old"\n\n# about the others\n\n[mcp_servers.other]\ncommand = "x"\n# end\n';
    const entry = { command: 'node', args: [] };
    expect(editSettings(toml, { format: 'toml', key: 'mcp_servers', name: 's', entry })).toMatchObject({
      text: toml.replace('"old"\n', '"node"\nargs = []\n'),
    });
  });

  test.each(['"text"', 'null', '[1]'])('say that %s was replaced', async (old) => {
    const { run } = await project({ '.cursor/mcp.json': `\uFEFF{ "mcpServers": { "schemakit": ${old} } }` });
    expect(run('install', 'cursor', '--yes').json).toMatchObject({ action: 'replaced', replaced: JSON.parse(old) });
  });

  test('keep a byte order mark', async () => {
    const { run, read } = await project({ '.cursor/mcp.json': '\uFEFF{}\n' });
    expect(run('install', 'cursor', '--yes').status).toBe(0);
    expect(read('.cursor/mcp.json')).toMatch(/^\uFEFF\{/);
  });

  test.runIf(process.platform === 'linux')('are not read from a pipe, and a link to nothing stays', async () => {
    const { run, folder } = await project({ '.cursor/.keep': '' });
    const file = join(folder, '../.cursor/mcp.json');
    spawnSync('mkfifo', [file]);
    expect(run('install', 'cursor', '--yes').json.error).toContain('not a regular file');
    rmSync(file);
    symlinkSync('missing.json', file);
    expect(run('install', 'cursor', '--yes').json.error).toContain('link to a file that does not exist');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  test.each(['', 'relative'])('are not written below the home folder "%s"', async (HOME) => {
    const { run, has } = await project({}, { HOME, CODEX_HOME: '' });
    expect(run('install', 'codex', '--yes')).toMatchObject({
      status: 2,
      json: { fix: expect.stringContaining('HOME') },
    });
    expect(has('project/.codex') || has('project/relative')).toBe(false);
  });

  test.runIf(process.platform !== 'win32')('keep their permissions, and a new file is the owner’s', async () => {
    const { run, folder } = await project();
    run('install', 'claude-code', '--yes');
    expect(statSync(join(folder, '../.claude.json')).mode & 0o777).toBe(0o600);
  });
});

test('a secret is in no entry, and a folder of settings that was named is', async () => {
  const { run, home } = await project({}, { SHOP_KEY: 'secret-of-the-shop' });
  const { json } = run('install', 'cursor', '--print');
  expect(json.entry).toMatchObject({ env: { SCHEMAKIT_HOME: home } });
  expect(JSON.stringify(json)).not.toContain('secret-of-the-shop');
});

test('--npx names this version of the command', async () => {
  const { run } = await project();
  const { entry } = run('install', 'vscode', '--print', '--npx').json as { entry: Entry };
  expect([entry.command, ...entry.args].join(' ')).toMatch(/npx -y @schemakit\/cli@\d+\.\d+\.\d+ --cwd .+ run$/);
});

test('a command in the cache of npx says that it may disappear', async () => {
  const { folder, home } = await project();
  mkdirSync(join(home, '_npx'));
  symlinkSync(resolve('packages/cli'), join(home, '_npx/cli'));
  const args = [join(home, '_npx/cli/bin/schemakit.js'), 'install', 'cursor', '--print'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(stdout).hint).toContain('npm install --global @schemakit/cli');
});

test('a group that is not there, or no group at all, is said before anything is written', async () => {
  const { run, has } = await project();
  expect(run('install', 'cursor', 'wrok', '--yes')).toMatchObject({ status: 3, json: { fix: 'Did you mean work?' } });
  const empty = await cliProject();
  expect(empty.run('install', 'cursor', '--yes')).toMatchObject({ status: 3, json: { error: 'no default group' } });
  expect(run('install', 'emacs').json.error).toContain('expected claude-desktop, claude-code, cursor');
  expect(run('install', 'claude').json.error).toMatch(/expected claude-desktop, claude-code$/);
  expect(run('install', 'cursor')).toMatchObject({ status: 2, json: { fix: expect.stringContaining('--yes') } });
  expect(has('.cursor')).toBe(false);
});

test.runIf(hasTerminal)('asks at a terminal, and shows what changes', async () => {
  const { folder, home, has } = await project();
  const env = { SCHEMAKIT_HOME: home, HOME: join(folder, '..') };
  const shell = await openTerminal({ cwd: folder, env });
  const no = await shell.run('schemakit install cursor', [['mcp.json? [y/N] ', 'n']]);
  expect(no.status).toBe(1);
  expect(no.screen).toMatch(/\+ {5}"schemakit": \{/);
  expect(has('.cursor/mcp.json')).toBe(false);
  const yes = await shell.run('schemakit install cursor', [['mcp.json? [y/N] ', 'y']]);
  expect(yes).toMatchObject({ status: 0, screen: expect.stringContaining('Restart Cursor') });
  expect(has('.cursor/mcp.json')).toBe(true);
  expect((await shell.run('schemakit install cursor')).screen).toContain('Cursor already has schemakit');
});

test.runIf(hasTerminal)('run prints the same entry at a terminal, with its own words', async () => {
  const { folder, home, run } = await project({ 'project/keys.env': 'A=1\n' });
  const shell = await openTerminal({ cwd: folder, env: { SCHEMAKIT_HOME: home } });
  const printed = async (line: string) => {
    shell.type(line);
    await shell.see('settings of the client:');
    const screen = await shell.see(/\n\}\r?\n/);
    await shell.interrupt();
    return entryIn(screen.slice(screen.indexOf('{')), 'cursor', 'schemakit');
  };
  const { entry } = run('install', 'claude-desktop', '--print').json as { entry: Entry };
  const served = await printed('schemakit --cwd ../project run');
  expect({ ...served, args: served.args.slice(1) }).toEqual({ ...entry, args: entry.args.slice(1) });
  expect(await toolsOf(served)).toEqual(['shop__getThing']);
  expect(run('trust', 'schemas', '--lock', 'own.lock.json', '--yes').status).toBe(0);
  const own = await printed('schemakit run schemas --env-file keys.env --lock=own.lock.json');
  const words = ['--env-file', join(folder, 'keys.env'), `--lock=${join(folder, 'own.lock.json')}`];
  expect(own.args.slice(1)).toEqual(['--cwd', folder, 'run', join(folder, 'schemas'), ...words]);
  expect(await toolsOf(own)).toEqual(['shop__getThing', 'shop__listThings']);
});

test('each platform has its own folders', () => {
  const at = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv) =>
    Object.values(clients({ platform, env, home: '/h' })).map(({ file }) => file);
  expect(at('darwin', { XDG_CONFIG_HOME: '/x' })).toEqual([
    '/h/Library/Application Support/Claude/claude_desktop_config.json',
    '/h/.claude.json',
    '/h/.cursor/mcp.json',
    '/h/Library/Application Support/Code/User/mcp.json',
    '/h/.config/zed/settings.json',
    '/h/.codex/config.toml',
  ]);
  const linux = at('linux', { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d' });
  expect(linux).toEqual([
    '/x/Claude/claude_desktop_config.json',
    '/d/.claude.json',
    '/h/.cursor/mcp.json',
    '/x/Code/User/mcp.json',
    '/x/zed/settings.json',
    '/c/config.toml',
  ]);
  expect(at('win32', { APPDATA: '/a' }).filter((file) => file.startsWith('/a/'))).toEqual([
    '/a/Claude/claude_desktop_config.json',
    '/a/Code/User/mcp.json',
    '/a/Zed/settings.json',
  ]);
  expect(clients()['claude-code'].file).toContain(homedir());
});

test('line ends and tabs stay as they are', () => {
  const entry = { command: 'node', args: [] };
  const tabs = editSettings('{\r\n\t"a": 1\r\n}\r\n', { format: 'json', key: 'servers', name: 's', entry });
  expect(tabs).toMatchObject({
    text: '{\r\n\t"a": 1,\r\n\t"servers": {\r\n\t\t"s": {\r\n\t\t\t"command": "node",\r\n\t\t\t"args": []\r\n\t\t}\r\n\t}\r\n}\r\n',
  });
  const toml = editSettings('a = 1\r\n', { format: 'toml', key: 'mcp_servers', name: 's', entry });
  expect(toml).toMatchObject({ text: 'a = 1\r\n\r\n[mcp_servers.s]\r\ncommand = "node"\r\nargs = []\r\n' });
});
