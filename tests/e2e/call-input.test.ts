import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliProject, cliProject } from './support/cli-project.ts';
import { hasTerminal, runAtTerminal } from './support/command.ts';
import { faultlessTool, mainWith, moduleText, parameter } from './support/schema-module.ts';
import { closedOrigin, type Reply, startUpstream, type Upstream } from './support/upstream.ts';

const tool = {
  ...faultlessTool,
  method: 'POST',
  parameters: [
    parameter('text', 'body', ['string()', 'optional()']),
    parameter('count', 'body', ['number()', 'min(-5)', 'max(5)', 'optional()']),
    parameter('open', 'body', ['boolean()', 'optional()']),
    parameter('size', 'body', ['enum(small,large)', 'optional()']),
    parameter('tags', 'body', ['array()', 'optional()']),
    parameter('filter', 'body', ['object()', 'optional()']),
  ],
};
const needed = {
  ...faultlessTool,
  parameters: [parameter('id', 'query'), parameter('limit', 'query', ['number()', 'min(1)'])],
};
const order = {
  ...faultlessTool,
  method: 'POST',
  parameters: [
    parameter('lines', 'body', [
      'array(object({ isbn: string(), count: integer().min(1), gift: string().optional(), tags: array(string()).optional() }))',
      'optional()',
    ]),
    parameter('notes', 'body', ['record(string())', 'optional()']),
    parameter('price', 'body', ['union(number(), object({ net: number() }))', 'optional()']),
    parameter('photo', 'body', ['file()', 'max(10)', 'type(image/*)', 'optional()']),
  ],
};
const word = 'shop.mjs::tool::getThing';
const orderWord = 'shop.mjs::tool::orderThing';

/** A project with the tools above, and an API that answers the body that it got, or `reply`. */
async function shop(reply?: Reply): Promise<CliProject & Pick<Upstream, 'requests'>> {
  const { origin, requests } = await startUpstream((request) => reply ?? { body: JSON.parse(request.body || '{}') });
  const project = await cliProject(filesFor(origin), { SHOP_KEY: 'key-of-the-shop' });
  return { ...project, requests };
}

function filesFor(root: string): Record<string, string> {
  const tools = { getThing: tool, findThing: needed, orderThing: order };
  return {
    'project/shop.mjs': moduleText(mainWith({ root, tools })),
    'project/keyed.mjs': moduleText(
      mainWith({ root, requiredServerParams: ['SHOP_KEY'], headers: { k: '{{SHOP_KEY}}' } }),
    ),
    'project/input.json': '{"text":"from a file"}\n',
    'project/lines.json': '[{"isbn":1}]\n',
    'project/count.json': '2\n',
    'project/note.txt': '5 "a"\n',
    'project/a b.png': 'pixels',
    'outside.png': 'pixels',
    'project/broken.json': '{\n  "text": nope\n}\n',
  };
}

describe('the parts of a shape', () => {
  test.each<[words: string[], body: object]>([
    [
      ['lines[0].isbn=007', 'lines[0].count=2', 'lines[0].gift=true'],
      { lines: [{ isbn: '007', count: 2, gift: 'true' }] },
    ],
    [['notes.1=5', 'notes[a]=@note.txt'], { notes: { 1: '5', a: '5 "a"\n' } }],
    [['price=5'], { price: 5 }],
    [['price={"net":5}'], { price: { net: 5 } }],
    [['photo=@a b.png'], { photo: 'data:image/png;name=a%20b.png;base64,cGl4ZWxz' }],
    [['photo=cGl4ZWxz'], { photo: 'cGl4ZWxz' }],
  ])('%j', async (words, body) => {
    const { start } = await shop();
    expect(await start('call', orderWord, ...words)).toMatchObject({ status: 0, json: { content: body } });
  });

  test.each([
    [['lines[0].isbn=a', 'lines[0].count=0'], 'lines[0].count: expected a whole number of at least 1, got 0.'],
    [['lines[0].isbm=a'], 'lines[0].isbm: unknown member. Did you mean "isbn"?'],
    [
      ['photo=@note.txt'],
      'photo: expected a file of at most 10 bytes (image/*), as base64 text or a data: URL with base64, got a file of 6 bytes (text/plain).',
    ],
    [['photo=@../outside.png'], 'photo: ../outside.png is outside of the working directory, so it is not sent.'],
    [['notes=5'], 'notes: 5 is not a JSON object.'],
    [['lines[0].tags=a', 'lines[0].tags=b'], 'Write lines[0].tags[]=<value> for each item.'],
    [['lines[0].isbn=a', 'lines[0].isbn=b'], 'Write lines[0].isbn=<value> once.'],
  ])('%j is refused', async (words, message) => {
    const { start, requests } = await shop();
    const { status, json } = await start('call', orderWord, ...words);
    expect(status).not.toBe(0);
    expect(JSON.stringify(json)).toContain(JSON.stringify(message).slice(1, -1));
    expect(requests).toEqual([]);
  });

  test.each(['binary', 'multipart'])(
    'a curl command of the encoding %s reads the file where it is',
    async (encoding) => {
      const parameters = [parameter('photo', 'body', ['file()'])];
      const { run } = await cliProject({
        'project/photos.mjs': moduleText(
          mainWith({
            root: await closedOrigin(),
            tools: { addPhoto: { ...faultlessTool, method: 'POST', encoding, parameters } },
          }),
        ),
        'project/trip/peak.png': 'pixels',
      });
      const words = ['call', 'photos.mjs::tool::addPhoto', 'photo=@./trip/peak.png'];
      const { curl, warnings } = run(...words, '--curl').json;
      expect(curl).toMatch(
        encoding === 'binary' ? /--data-binary @\.\/trip\/peak\.png/ : /photo=@"\.\/trip\/peak\.png"/,
      );
      expect(warnings).toEqual(['The curl command reads the file ./trip/peak.png']);
      expect(run(...words, '--dry-run').json).not.toHaveProperty('warnings');
    },
  );

  test.runIf(hasTerminal)('are shown by describe, under the names that a call takes', async () => {
    const { folder } = await shop();
    const { screen } = await runAtTerminal(['describe', orderWord], '', { cwd: folder });
    expect(screen).toMatch(/lines\[0\]\.count +whole number, required, at least 1/);
    expect(screen).toMatch(/photo +file +A file of at most 10 bytes/);
    expect(screen).toMatch(/price +number or object/);
  });
});

describe('the input of a call', () => {
  test.each<[words: string[], body: object]>([
    [[], {}],
    [['{"text":"a=b","count":2}'], { text: 'a=b', count: 2 }],
    [['text=plain text = more'], { text: 'plain text = more' }],
    [['text='], { text: '' }],
    [['text=5', 'count=-5', 'open=true', 'size=large'], { text: '5', count: -5, open: true, size: 'large' }],
    [['tags=a', 'tags=b c'], { tags: ['a', 'b c'] }],
    [['tags=[1,"b"]', 'tags=c'], { tags: [1, 'b', 'c'] }],
    [['tags=one'], { tags: ['one'] }],
    [['filter={"a":{"b":[1]}}'], { filter: { a: { b: [1] } } }],
    [['text={"a":1}'], { text: '{"a":1}' }],
    [['tags={"isbn":1}'], { tags: [{ isbn: 1 }] }],
    [['tags:=[{"isbn":1}]', 'count:=2'], { tags: [{ isbn: 1 }], count: 2 }],
    [
      ['tags[0].isbn=1', 'tags[0].name=A b', 'tags[1][isbn]="007"', 'tags[]=last'],
      { tags: [{ isbn: 1, name: 'A b' }, { isbn: '007' }, 'last'] },
    ],
    [['filter.a.b=true', 'filter[c]=x'], { filter: { a: { b: true }, c: 'x' } }],
    [['@input.json'], { text: 'from a file' }],
    [['tags=@lines.json', 'text=@note.txt'], { tags: [{ isbn: 1 }], text: '5 "a"\n' }],
    [
      ['tags:=@lines.json', 'count=@count.json', 'filter.a=@note.txt'],
      { tags: [{ isbn: 1 }], count: 2, filter: { a: '5 "a"\n' } },
    ],
    [['text=@@someone'], { text: '@someone' }],
    [['@input.json', 'text=mine', 'count=1'], { text: 'mine', count: 1 }],
    [['tags=a', '@input.json'], { text: 'from a file', tags: ['a'] }],
  ])('%j', async (words, body) => {
    const { start } = await shop();
    expect(await start('call', word, ...words)).toMatchObject({ status: 0, json: { content: body } });
  });

  test('comes from standard input for -', async () => {
    const { folder } = await shop();
    const command = resolve('packages/cli/bin/schemakit.js');
    const child = spawn(process.execPath, [command, 'call', word, '-', 'count=2', '--dry-run'], { cwd: folder });
    child.stdin.end('{"text":"piped","count":1}');
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      stdout += part;
    });
    const [status] = await once(child, 'close');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ request: { body: { text: 'piped', count: 2 } } });
  });

  test('takes names that other tools of the group know', async () => {
    const { start } = await shop();
    expect(await start('call', word, 'txt=x')).toMatchObject({
      status: 4,
      json: { error: expect.stringContaining('Did you mean "text"?') },
    });
  });

  test.each<[words: string[], status: number, error: string, fix: string]>([
    [['@gone.json'], 3, 'There is no file gone.json.', 'path of a file'],
    [['@.'], 2, 'The input cannot be read: . is a folder.', 'path of a file'],
    [['@broken.json'], 2, 'Invalid JSON in broken.json', 'one JSON object'],
    [['@broken.json'], 2, '(line 2, character 11)', 'one JSON object'],
    [['{}', 'text=a'], 2, 'Too many arguments: text=a.', 'can be combined with key=value; JSON as an argument cannot'],
    [['@input.json', '-'], 2, '@input.json and - cannot be combined.', 'One file, or -'],
    [['@input.json', '{"count":1}'], 2, 'is not key=value.', 'JSON as an argument cannot'],
    [['text=@gone'], 3, 'There is no file gone.', 'For a value that begins with @, write text=@@gone'],
    [['tags:=@gone'], 3, 'There is no file gone.', 'tags:=@<file>'],
    [['text=@'], 2, 'text=@ names no file.', 'write text=@@'],
    [['text=@.'], 2, 'text cannot be read: . is a folder.', 'text=@@.'],
    [['tags=@broken.json'], 2, 'tags: broken.json is not JSON', 'into the file'],
    [['-'], 2, 'Invalid JSON in standard input', 'one JSON object'],
    [['text'], 2, 'Invalid JSON argument', 'key=value'],
    [['text=a', 'more'], 2, '"more" is not key=value.', 'quote values'],
    [['text=a', '{"count":1}'], 2, 'is not key=value.', 'key=value'],
    [['text=a', 'text=b'], 2, 'text is given twice', 'text=<value>'],
    [['tags=[1'], 2, 'tags: [1 is not a JSON array.', 'tags='],
    [['filter=a'], 2, 'filter: a is not a JSON object.', 'filter='],
    [['tags={"isbn"'], 2, 'tags: {"isbn" is not a JSON array.', 'tags='],
    [['count:=x'], 2, 'count: x is not JSON', 'count='],
    [['tags[1]=a'], 2, 'tags[1]: item 0 is missing', 'without gaps'],
    [['filter.a=1', 'filter.a=2'], 2, 'filter.a is given twice', 'once'],
    [['filter.a=1', 'filter[0]=2'], 2, 'filter[0]: the value around it is of another type', ''],
    [['text[0]=a'], 4, 'text: expected text', ''],
    [['--curl', '--output', 'x'], 2, '--curl sends no request', 'Remove --output.'],
    [['--output', 'nowhere/x'], 2, '--output: There is no folder nowhere.', ''],
    [['count=many'], 4, 'count: expected a number', ''],
    [['count=6'], 4, 'count: expected', ''],
    [['open=yes'], 4, 'open: expected', ''],
    [['size=larg'], 4, 'Did you mean "large"?', ''],
    [['--dry-run', '--select', 'a'], 2, '--dry-run sends no request', 'Remove --select.'],
    [['--curl', '--select', 'a'], 2, '--curl sends no request', 'Remove --select.'],
    [['--no-cache', '--refresh'], 2, '--refresh needs the cache.', 'Remove --no-cache.'],
    [['--select', 'a..b'], 2, '--select: the expression cannot be read: unexpected token: .', 'JMESPath'.toLowerCase()],
    [['--select', 'lenght(@)'], 2, 'there is no function lenght()', 'Did you mean length()?'],
    [['--selct', 'a'], 2, 'selct', '--help'],
  ])('%j ends with %i', async (words, status, error, fix) => {
    const { run, requests } = await shop();
    const ended = run('call', word, ...words);
    expect(ended).toMatchObject({ status, json: { status: false, error: expect.stringContaining(error) } });
    expect(String(ended.json.fix ?? '')).toContain(fix);
    expect(requests).toEqual([]);
  });

  test('that is missing is named in one sentence', async () => {
    const { run } = await shop();
    expect(run('call', 'shop.mjs::tool::findThing').json).toEqual({
      status: false,
      toolName: 'shop_findThing',
      error: 'Missing required parameter(s): id, limit',
      messages: [expect.stringContaining('id: required'), expect.stringContaining('limit: required')],
      fix: 'Provide: id (text), limit (a number of at least 1)',
    });
  });

  test.each(['--dry-run', '--curl', '--refresh', '--no-cache', '--select=a'])(
    'list-tools does not accept %s',
    async (flag) => {
      const { run } = await shop();
      const [name = ''] = flag.split('=');
      expect(run('call', 'list-tools', flag)).toMatchObject({
        status: 2,
        json: { error: `list-tools does not accept ${name}.` },
      });
    },
  );
});

describe('what a call shows', () => {
  test('is what an expression selects', async () => {
    const { start } = await shop({ body: { things: [{ name: 'tea' }, { name: 'milk' }] } });
    const call = (expression: string) => start('call', word, '--select', expression);
    expect((await call('things[].name')).json).toEqual({
      status: true,
      toolName: 'shop_getThing',
      content: ['tea', 'milk'],
    });
    const nothing = await call('other');
    expect(nothing).toMatchObject({ status: 0, json: { content: null }, stderr: 'The expression matches nothing.\n' });
    expect(await call('sum(things)')).toMatchObject({ status: 2, json: { error: expect.stringContaining('sum()') } });
  });

  test('are warnings on stderr', async () => {
    const { start } = await shop({ body: [1] });
    const { status, stderr, json } = await start('call', word);
    expect(status).toBe(0);
    expect(json).toEqual({ status: true, toolName: 'shop_getThing', content: [1] });
    expect(stderr).toContain('warning');
  });

  test.each([401, 403])('is the secret to look at, for status %i', async (code) => {
    const { start } = await shop({ status: code, body: 'no' });
    const { status, json } = await start('call', 'keyed.mjs::tool::getThing');
    expect(status).toBe(5);
    expect(json).toMatchObject({
      status: false,
      toolName: 'shop_getThing',
      error: expect.stringContaining(`HTTP ${code}`),
    });
    expect(json.fix).toContain('Check SHOP_KEY in the environment.');
    expect(JSON.stringify(json)).not.toContain('key-of-the-shop');
  });

  test('is the file that a rejected secret is from', async () => {
    const { origin } = await startUpstream(() => ({ status: 401, body: 'no' }));
    const files = { ...filesFor(origin), 'project/.env': 'SHOP_KEY=wrong', 'home/.env': 'SHOP_KEY=other' };
    const { start } = await cliProject(files, { SHOP_KEY: '' });
    const { json } = await start('call', 'keyed.mjs::tool::getThing');
    expect(json.fix).toMatch(/Check SHOP_KEY in \S+\/project\/\.env\.$/);
  });

  test('is a way out in words of the command', async () => {
    const { start } = await cliProject(filesFor(await closedOrigin()), { SHOP_KEY: '' });
    const { stderr } = await start('call', 'keyed.mjs::tool::getThing', '--dry-run');
    expect(stderr).toContain('Add SHOP_KEY=<value> to .env of the project, to the file of --env-file,');
    expect(stderr).not.toContain('serverParams');
  });

  test('is how an input is written that was given as a flag', async () => {
    const { start } = await cliProject(filesFor(await closedOrigin()));
    const { json } = await start('call', word, '--customer', 'bob');
    expect(json.fix).toBe('An input of the tool is written without --: customer=bob');
  });

  test('is a status of its own for each kind of failure', async () => {
    const files = filesFor(await closedOrigin());
    const { run } = await cliProject(files, { SHOP_KEY: '' });
    const ended = (...words: string[]) => run('call', ...words).status;
    expect({
      usage: ended(word, '{'),
      notFound: ended('shop.mjs::tool::other'),
      validation: ended(word, 'nope=1'),
      upstream: ended(word),
      missingSecret: ended('keyed.mjs::tool::getThing'),
    }).toEqual({ usage: 2, notFound: 3, validation: 4, upstream: 5, missingSecret: 6 });
  });
});

describe.skipIf(!hasTerminal)('at a terminal', () => {
  test('JSON has characters escaped that could take it over', async () => {
    const { folder } = await shop();
    const text = 'a\u202eb\u009bc\u2066d';
    const { screen } = await runAtTerminal(['call', word, `text=${text}`, '--json'], '', { cwd: folder });
    expect(screen).toContain('a\\u202eb\\u009bc\\u2066d');
  });

  test('a call shows data as text, and a dry run the request as HTTP has it', async () => {
    const { folder } = await shop();
    const at = (...words: string[]) => runAtTerminal(['call', word, ...words], '', { cwd: folder });
    const called = await at('text=tea');
    expect(called.status).toBe(0);
    expect(called.screen.replaceAll('\r', '')).toBe('{\n  "text": "tea"\n}\n');
    const dry = await at('text=tea', '--dry-run');
    expect(dry.screen).toMatch(
      /^POST http.*\/thing\r\nContent-Type: application\/json\r\n\r\n\{\r\n {2}"text": "tea"\r\n\}\r\n$/,
    );
    expect((await at('text=tea', '--curl')).screen).toMatch(/^curl --request POST \\\r\n/);
    expect((await at('count=x')).screen).toContain('count: expected a number');
  });
});
