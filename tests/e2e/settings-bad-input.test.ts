import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliProject, cliProject, shopSchema } from './support/cli-project.ts';
import { mainWith, moduleText } from './support/schema-module.ts';
import { closedOrigin, startUpstream } from './support/upstream.ts';

const files = {
  'home/config.json': '{}',
  'home/schemas/lib/shop.mjs': shopSchema(['getThing', 'listThings']),
  'home/schemas/lib/broken.mjs': shopSchema(['getThing'], { namespace: 'Broken1' }),
  'project/schemas/own.mjs': shopSchema(['getOwn'], { namespace: 'own' }),
  'project/.schemakit/config.json': '{ "mode": "dev", "defaultGroup": "work" }',
  'project/.schemakit/groups/work.json': '{ "tools": ["lib/shop.mjs::tool::getThing"] }',
  'project/empty/readme.txt': '',
};

const [usage, notFound, validation] = [2, 3, 4];

/** Words, the exit status, what is wrong, and what to do. */
const cases: readonly [words: readonly string[], status: number, error: string, fix: string][] = [
  // Words of the command
  [['lst'], usage, 'Unknown command "lst".', 'Did you mean list?'],
  [['frobnicate'], usage, 'Unknown command "frobnicate".', 'schemakit --help'],
  [['--nope'], usage, '--nope', 'schemakit --help'],
  [['list', '--grop', 'work'], usage, 'No flag registered for --grop, did you mean --group?', 'schemakit list --help'],
  [['list', 'more'], usage, 'Too many arguments', 'schemakit list --help'],
  [['list', '--group'], usage, 'group', 'schemakit list --help'],
  [['status', '-x'], usage, 'x', 'schemakit status --help'],
  [
    ['group'],
    usage,
    '`schemakit group` needs a subcommand: list, append, remove, set-default, delete or rename.',
    'schemakit group --help',
  ],
  [['group', 'ad'], usage, 'Unknown command "ad".', ''],
  [['group', 'foo'], usage, 'Unknown command "foo".', 'schemakit group --help'],
  [['help', 'lst'], usage, 'Unknown command "lst".', 'Did you mean list?'],
  [['list', '--json=1'], usage, '--json takes no value.', 'Write --json'],
  [['list', '--jsn'], usage, 'No flag registered for --jsn', 'schemakit list --help'],
  [['list', '--cwd'], usage, '--cwd needs a folder.', '--cwd <folder'],
  [['list', '--cwd', '/no/such/folder'], usage, '--cwd: /no/such/folder is not a folder.', '--cwd <folder'],
  [['list', '--cwd=schemas/own.mjs'], usage, 'is not a folder.', '--cwd <folder'],
  // Modes
  [['mode', 'devel'], usage, 'Invalid mode "devel".', 'agent or dev'],
  [['mode', ''], usage, 'Invalid mode "".', 'agent or dev'],
  [['mode', 'dev', 'agent'], usage, 'Too many arguments', 'schemakit mode --help'],
  // Groups
  [['group', 'append'], usage, 'name', 'schemakit group append --help'],
  [['group', 'append', 'work'], usage, 'tools', 'schemakit group append --help'],
  [['group', 'append', 'work', '--tools', 'a', 'b'], usage, 'Too many arguments', '--tools takes one text with commas'],
  [['group', 'append', 'work', '--tools', ' , '], usage, '--tools is empty.', '--tools "<tool>,<tool>"'],
  [
    ['group', 'append', '../evil', '--tools', 'shop_getThing'],
    usage,
    '"../evil" is not a valid group name',
    'letters, digits',
  ],
  [['group', 'append', 'a b', '--tools', 'shop_getThing'], usage, '"a b" is not a valid group name', 'letters, digits'],
  [
    ['group', 'append', '.env', '--tools', 'shop_getThing'],
    usage,
    '".env" is not a valid group name',
    'letters, digits',
  ],
  [['group', 'append', 'con', '--tools', 'shop_getThing'], usage, '"con" is not a valid group name', 'Device names'],
  [['group', 'append', 'x'.repeat(65), '--tools', 'shop_getThing'], usage, 'not a valid group name', 'at most 64'],
  [['group', 'remove', 'wrok', '--tools', 'shop_getThing'], notFound, 'no group wrok', 'Did you mean work?'],
  [
    ['group', 'remove', 'work', '--tools', 'shop_listThings'],
    notFound,
    'not in the group: shop_listThings',
    'schemakit list',
  ],
  [['group', 'set-default', 'other'], notFound, 'no group other', 'Groups: work.'],
  [['list', '--group', 'other'], notFound, 'no group other', 'schemakit group append other'],
  // References
  [['add'], usage, 'tool', 'schemakit add --help'],
  [['add', ''], usage, '"" is not a reference', 'Write'],
  [['add', 'weather'], notFound, 'there is no tool "weather"', 'schemakit search <words>'],
  [['add', 'shop_getThings'], notFound, 'there is no tool "shop_getThings"', 'Did you mean shop_getThing?'],
  [['add', 'lib/shop.mjs::tool::getThink'], notFound, 'the schema has no such tool', 'Did you mean getThing?'],
  [['add', 'lib/shop.mjs::resource::rows'], notFound, 'the schema has no such resource', 'It has no resource.'],
  [['add', 'lib/shop.mjs::tol::getThing'], usage, '"tol" is not a type', 'Did you mean tool?'],
  [['add', 'lib/shop.mjs::tool::'], usage, 'the name after :: is missing', 'Write the name of a tool.'],
  [['add', 'lib/shpo.mjs'], notFound, 'no schema lib/shpo.mjs', 'Did you mean lib/shop.mjs?'],
  [['add', 'elsewhere/x.mjs'], notFound, 'no schema elsewhere/x.mjs', 'Sources: schemas, lib.'],
  [['add', '../home/schemas/lib/../../.env.mjs'], usage, 'is not a file of a source', 'Write <source>/<file>.mjs'],
  [['add', 'lib/../../../etc/x.mjs'], usage, 'is not a file of a source', 'Write <source>/<file>.mjs'],
  [['add', 'shop.mjs'], usage, '"shop.mjs" is not a file of a source', 'Write <source>/<file>.mjs'],
  [['add', 'lib/broken.mjs'], notFound, 'lib/broken.mjs does not load', 'schemakit validate'],
  [['add', 'a b'], usage, '"a b" is not a reference', 'Write'],
  [['remove', 'shop_nothing'], notFound, 'not in the group: shop_nothing', 'schemakit list'],
  // Calls
  [['call'], usage, 'argument', 'schemakit call --help'],
  [['call', ''], usage, '"" is not a tool reference.', '<file>.mjs::tool::<name>'],
  [['call', 'shop_getThing', '[]'], usage, 'The input must be a JSON object.', 'one JSON object'],
  [['call', 'shop_getThing', '{q:1}'], usage, 'expected a key in double quotes, found "q"', 'one JSON object'],
  [['call', 'shop_getThing', '{}', '{}'], usage, 'Too many arguments: {}.', 'Quote the JSON'],
  [['call', 'shop_getThing', '{"nope":1}'], validation, 'nope', ''],
  [['call', 'somewhere'], notFound, 'Tool "somewhere" not found in the group work.', 'call list-tools'],
  [['call', 'shop_listThings'], notFound, 'not found in the group work.', 'schemakit add shop_listThings'],
  [['call', './gone.mjs::tool::x'], notFound, './gone.mjs did not load.', ''],
  [['call', 'schemas/own.mjs::tool::getOwm'], notFound, 'Route "getOwm" not found', 'Did you mean getOwn?'],
  [['call', 'schemas/own.mjs'], usage, 'is not a tool reference.', '<file>.mjs::tool::<name>'],
  [['call', 'schemas/own.mjs::getOwn', '--group', 'work'], usage, 'A file and --group exclude each other.', '--group'],
  [['call', 'list-tools', 'schemas', '--group', 'work'], usage, 'Paths and --group exclude each other.', '--group'],
  [['call', 'list-tools', 'gone'], notFound, 'there is no file', 'Check the path.'],
  // Validation and migration
  [['validate', 'gone.mjs'], notFound, '', ''],
  [['validate', 'empty'], notFound, 'there is no schema in empty', ''],
  [['validate', '--group', 'other'], notFound, 'no group other', 'Groups: work.'],
  [['validate', 'schemas', '--group', 'work'], usage, 'Paths and --group exclude each other.', '--group'],
  [['migrate'], usage, 'path', 'schemakit migrate --help'],
  [['migrate', 'gone.mjs'], notFound, 'There is no file gone.mjs.', 'Check the path.'],
  [['migrate', 'schemas'], usage, 'schemas is a folder.', 'schemakit migrate --all schemas'],
  [['migrate', '--all', 'schemas/own.mjs'], usage, 'is not a folder.', 'schemakit migrate schemas/own.mjs'],
  [['migrate', 'empty/readme.txt'], validation, 'was not migrated', ''],
  // Words that are empty, as those of a variable that is not set
  [['validate', ''], usage, 'path: It is empty', 'schemakit validate --help'],
  [['migrate', '--all', ''], usage, 'path: It is empty', 'schemakit migrate --help'],
  [['test', 'single', ' '], usage, 'path: It is empty', 'schemakit test single --help'],
  [['trust', '', '--yes'], usage, 'path: It is empty', 'schemakit trust --help'],
  [['list', '--group', ''], usage, 'group: It is empty', 'schemakit list --help'],
  [['call', 'shop_getThing', '--lock', ''], usage, 'lock: It is empty', 'schemakit call --help'],
  // Sources
  [['import'], usage, 'url', 'schemakit import --help'],
  [['import', ''], usage, 'it is empty', 'Use a repository'],
  [['import', 'gone'], notFound, 'no folder', 'Check the path.'],
  [['import', 'gone.zip'], usage, 'zip files are not supported', 'Use a .tar.gz'],
  [['import', 'schemas/own.mjs'], notFound, 'is not a folder', 'the folder schemas of the project'],
  [['import', 'ftp://example.com/x'], usage, 'unsupported protocol ftp:', 'Use https'],
  [['import', 'schemas', '--branch', 'next'], usage, 'only repositories have branches', 'Leave out --branch.'],
  [['import', 'schemas', '--name', '../x'], usage, 'the name "../x" must be', ''],
  [['import-registry', 'schemas'], usage, 'a registry must have an http or https URL', 'schemakit import'],
  [['update', 'gone'], notFound, 'no source named "gone"', 'schemakit import <url>'],
  // Lock files
  [['call', 'shop_getThing', '--lock', 'gone.json'], notFound, 'there is no lock file', 'schemakit trust'],
  [['validate', 'schemas', '--lock', 'gone.json'], notFound, '', ''],
  // Searches
  [['search'], usage, 'search needs words.', 'schemakit search exchange rates'],
  [['search', '--limit', '0', 'x'], usage, 'expected a whole number from 1 to 1000', 'schemakit search --help'],
  [['completion', 'tcsh'], usage, 'expected bash, zsh, fish', 'schemakit completion --help'],
  // Setup
  [['init', '--group', '../x', '--yes'], usage, '"../x" is not a valid group name.', '--group default'],
  [['trust'], usage, 'path', 'schemakit trust --help'],
];

describe('bad input', () => {
  test.each(cases)('%j', async (words, status, error, fix) => {
    const { run } = await cliProject(files);
    const result = run(...words);
    expect(result.status).toBe(status);
    expect(result.json.status).toBe(false);
    expect(String(result.json.error ?? '')).toContain(error);
    expect(String(result.json.fix ?? '')).toContain(fix);
    // Nothing that only a developer of the command could read.
    expect(JSON.stringify(result.json) + result.stderr).not.toMatch(/\n\s+at |node:internal|undefined|\[object/);
  });

  test('credentials in an address are never printed', async () => {
    const { run } = await cliProject(files);
    for (const words of [
      ['import', 'https://user:not-a-real-password@example.com/x.git'],
      ['import-registry', 'https://user:not-a-real-password@example.com/registry.json'],
      ['init', '--yes', '--registry', 'https://user:not-a-real-password@example.com/registry.json'],
    ]) {
      const { status, json, stderr } = run(...words);
      expect({ status, error: json.error }).toEqual({ status: usage, error: expect.stringContaining('credentials') });
      expect(JSON.stringify(json) + stderr).not.toContain('not-a-real-password');
    }
  });

  test('run says what is wrong on stderr: stdout belongs to the protocol', async () => {
    const { run } = await cliProject(files);
    for (const [words, status, text] of [
      [['run', '--grop', 'x'], usage, 'No flag registered for --grop'],
      [['run', '--group', 'other'], notFound, 'no group other'],
      [['run', 'schemas', '--group', 'work'], usage, 'Paths and --group exclude each other.'],
      [['run', 'gone.mjs'], notFound, 'there is no file'],
    ] as const) {
      expect(run(...words)).toMatchObject({ status, json: {}, stderr: expect.stringContaining(text) });
    }
  });
});

describe('settings that are wrong', () => {
  const config = 'project/.schemakit/config.json';
  const work = 'project/.schemakit/groups/work.json';

  test.each([
    [
      config,
      '{ "mode": "dev" "x": 1 }',
      '.schemakit/config.json:1:17: the settings are not valid JSON: expected a comma or }, found "\\""',
    ],
    [
      config,
      '',
      '.schemakit/config.json:1:1: the settings are not valid JSON: expected a value, found the end of the file',
    ],
    [config, '[]', '.schemakit/config.json:1:1: the file must be an object, not an array'],
    [config, '{\n\n  "defaultGroup": 7 }', '.schemakit/config.json:3:19: defaultGroup must be text, not 7'],
    [config, '{ "groups": [] }', '.schemakit/config.json:1:13: groups must be an object, not an array'],
    [
      config,
      '{ "groups": { "a": { "tools": "x" } } }',
      'config.json:1:31: groups.a.tools must be an array of text, not "x"',
    ],
    [work, '{ "tools": [1] }', 'groups/work.json:1:12: tools must be an array of text, not an array with other values'],
    [work, '{ "tools": [], "description": {} }', 'groups/work.json:1:31: description must be text, not an object'],
    [work, '// none', 'groups/work.json:1:1: the settings are not valid JSON: expected a value, found "/"'],
    ['home/config.json', '{ "sources": "x" }', 'home/config.json:1:14: sources must be an object, not "x"'],
    ['home/config.json', '{ "envPath": false }', 'home/config.json:1:14: envPath must be text, not false'],
  ])('%s: %j', async (file, text, error) => {
    const { run, read } = await cliProject({ ...files, [file]: text });
    const before = read(file);
    const { status, json } = run('list');
    expect({ status, error: json.error }).toEqual({ status: validation, error: expect.stringContaining(error) });
    expect(json.fix).toEqual(expect.any(String));
    // A command that would write leaves the file to its owner.
    for (const words of [
      ['add', 'shop_listThings'],
      ['mode', 'agent'],
      ['group', 'set-default', 'work'],
    ]) {
      expect(run(...words).status).not.toBe(0);
    }
    expect(read(file)).toBe(before);
  });

  test('a mode that is none is mended by the command that is named, and nothing else changes', async () => {
    const { run, json } = await cliProject({ ...files, [config]: '{ "mode": "expert", "mine": 1 }' });
    const refused = run('list');
    expect(refused).toMatchObject({
      status: validation,
      json: {
        error: expect.stringContaining('config.json:1:11: mode must be "agent" or "dev", not "expert"'),
        fix: 'Run: schemakit mode agent',
      },
    });
    expect(run('mode').status).toBe(validation);
    expect(run('mode', 'agent')).toMatchObject({ status: 0, json: { mode: 'agent' }, stderr: '' });
    expect(json(config)).toEqual({ mode: 'agent', mine: 1 });
  });

  test('a default group whose name cannot be one is not to be made', async () => {
    const { run } = await cliProject({ ...files, [config]: '{ "defaultGroup": "../x" }' });
    expect(run('list')).toMatchObject({
      status: notFound,
      json: { fix: 'Groups: work. Run: schemakit group set-default <name>' },
    });
  });

  test('a misspelt field is a warning', async () => {
    const { run } = await cliProject({ ...files, [config]: '{ "defaultGruop": "work" }' });
    expect(run('list').stderr).toContain('unknown field defaultGruop\n    Did you mean defaultGroup?');
  });

  test('a folder in the place of a file is said', async () => {
    const { run } = await cliProject({ 'project/.schemakit/config.json/x': '' });
    expect(run('list').json.error).toContain('config.json: cannot read the settings: not a regular file');
  });

  test.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)(
    'a folder that cannot be written is said',
    async () => {
      const { run, folder } = await cliProject();
      chmodSync(folder, 0o555);
      expect(run('mode', 'dev')).toMatchObject({
        status: 1,
        json: { error: expect.stringContaining('cannot write the settings') },
      });
      chmodSync(folder, 0o755);
    },
  );

  test.runIf(process.platform === 'linux')('a global folder that nobody can make is said', async () => {
    const { run } = await cliProject(
      { 'project/schemas/own.mjs': shopSchema(['getOwn'], { namespace: 'own' }) },
      { SCHEMAKIT_HOME: '/proc/nowhere' },
    );
    expect(run('init', '--yes', '--no-import')).toMatchObject({
      status: 1,
      json: { error: 'cannot create the settings: cannot create a folder in /proc' },
    });
    expect(run('search', 'own')).toMatchObject({ status: 0, json: { matchCount: 1 } });
  });

  test.runIf(process.platform === 'linux')(
    'a global folder in which none can be made does not end a search',
    async () => {
      const { run } = await cliProject(
        { 'project/schemas/own.mjs': shopSchema(['getOwn'], { namespace: 'own' }) },
        { SCHEMAKIT_HOME: '/proc' },
      );
      const { status, json, stderr } = run('search', 'own');
      expect({ status, json }).toMatchObject({ status: 0, json: { matchCount: 1 } });
      expect(stderr).toContain('cannot be used: cannot create a folder in /proc');
    },
  );

  test('secrets that cannot be read do not end a call that needs none', async () => {
    const upstream = await startUpstream(() => ({ body: { ok: true } }));
    const { start, home } = await cliProject({
      'project/schemas/shop.mjs': shopSchema(['getThing'], { root: upstream.origin }),
    });
    mkdirSync(join(home, '.env'), { recursive: true });
    const { status, stderr } = await start('call', 'schemas/shop.mjs::tool::getThing');
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('cannot read the secrets') });
  });
});

describe('exit statuses of calls', () => {
  async function shop(root: string): Promise<CliProject> {
    return cliProject({ 'project/shop.mjs': shopSchema(['getThing'], { root }) });
  }

  test('5 where the API failed, is not there, or gave something else', async () => {
    const failing = await startUpstream(() => ({ status: 503, body: {} }));
    const html = await startUpstream(() => ({
      headers: { 'content-type': 'text/html' },
      body: '<title>Log in</title>',
    }));
    for (const origin of [failing.origin, html.origin, await closedOrigin()]) {
      const { start } = await shop(origin);
      expect(await start('call', 'shop.mjs::tool::getThing')).toMatchObject({ status: 5, json: { status: false } });
    }
  });

  test('4 where a schema is not valid, 3 where it is not there', async () => {
    const { run, folder } = await cliProject();
    writeFileSync(join(folder, 'bad.mjs'), moduleText(mainWith({ namespace: 'Bad 1' })));
    expect(run('call', 'bad.mjs::tool::getThing').status).toBe(4);
    expect(run('validate', 'bad.mjs').status).toBe(4);
    expect(run('validate', 'good.mjs').status).toBe(3);
  });
});
