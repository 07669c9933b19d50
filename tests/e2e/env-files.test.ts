import { expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { testedShop } from './support/tested-shop.ts';
import { startUpstream } from './support/upstream.ts';

const names = ['SHELL_KEY', 'NAMED_KEY', 'PROJECT_KEY', 'GLOBAL_KEY'];
const fileOf = (count: number, where: string) =>
  names
    .slice(-count)
    .map((name) => `${name}=from-${where}\n`)
    .join('');

/** Each name is set at its own place and at all that come later. */
async function keyedShop(env: string = fileOf(2, 'project')) {
  const upstream = await startUpstream();
  const headers = Object.fromEntries(names.map((name) => [`X-${name.replace('_', '-')}`, `{{${name}}}`]));
  const main = { requiredServerParams: names, headers };
  const project = await cliProject(
    {
      'project/shop.mjs': testedShop(upstream.origin, { getThing: {} }, { main }),
      'project/.env': `${env}PORT=3000\n`,
      'project/named.env': fileOf(3, 'named'),
      'home/.env': fileOf(4, 'global'),
    },
    { SHELL_KEY: 'from-shell' },
  );
  const sent = () =>
    Object.values(names).map((name) => upstream.requests.at(-1)?.headers[`x-${name.toLowerCase().replace('_', '-')}`]);
  return { ...project, sent };
}

test('secrets come from the environment, the named file, the project and the global file, in this order', async () => {
  const { start, sent } = await keyedShop();
  await start('test', 'single', 'shop.mjs', '--env-file', 'named.env');
  expect(sent()).toEqual(['from-shell', 'from-named', 'from-named', 'from-named']);
  await start('call', 'shop.mjs::tool::getThing');
  expect(sent()).toEqual(['from-shell', 'from-global', 'from-project', 'from-project']);
});

test('a line that is no assignment is named, and not shown', async () => {
  const env = `# keys\nPROJECT_KEY="two\nlines" # fine\n\nsk-12345-oops\nexport GLOBAL_KEY = 'it'\nA=b=c\n`;
  const { start, sent } = await keyedShop(env);
  const { stderr, status } = await start('call', 'shop.mjs::tool::getThing', '--env-file', 'named.env');
  expect(stderr).toContain('.env:5:1: warning SET010: this line is not an assignment; ignored\n    Write NAME=value.');
  expect(stderr.match(/SET010/g)).toHaveLength(1);
  expect(stderr).not.toContain('oops');
  expect({ status, sent: sent() }).toMatchObject({ status: 0, sent: { 3: 'from-named' } });
});

test.each(['call', 'test', 'run', 'serve', 'doctor'])('%s wants a file', async (command) => {
  const { run } = await keyedShop();
  const words = { call: ['shop.mjs::tool::getThing'], test: ['single', 'shop.mjs'] }[command] ?? [];
  // Node.js looks at this flag of any program, and refuses a missing file before the program starts.
  const missing = run(command, ...words, '--env-file', 'gone.env');
  expect(missing).toMatchObject({ status: 9, stderr: expect.stringContaining('gone.env') });
  const { status, json, stderr } = run(command, ...words, '--cwd', '..', '--env-file', 'named.env');
  expect({ status, said: `${json.error}${stderr}` }).toMatchObject({
    status: 2,
    said: expect.stringContaining('there is no file named.env'),
  });
});
