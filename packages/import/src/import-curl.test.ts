import { SchemaKit } from '@schemakit/core';
import { expect, it } from 'vitest';
import { importCurl } from './import-curl.ts';

async function mainOf(command: string): Promise<Record<string, unknown>> {
  const { files, messages } = importCurl(command);
  expect(messages).toEqual([]);
  const module: { main: Record<string, unknown> } = await import(
    `data:text/javascript,${encodeURIComponent(Object.values(files)[0] ?? '')}`
  );
  expect(SchemaKit.validateMain({ main: module.main }).status).toBe(true);
  return module.main;
}

it.each([
  [
    'curl -sS \'https://api.pets.example.com/pets/7?limit=5\' -H "Authorization: Bearer s3cret" | jq .',
    'getPetsByPetId',
    { path: '/pets/{{petId}}' },
  ],
  [
    'curl -XPATCH https://pets.example.com/pets --json \'{"name":"Rex"}\' -u me:s3cret',
    'patchPets',
    { method: 'PATCH' },
  ],
  ['curl -F photo=@x.png pets.example.com/upload -b session=s3cret', 'postUpload', { encoding: 'multipart' }],
  ["curl \\\n  -G https://pets.example.com/find -d q=cat -H 'X-Api-Key: s3cret'", 'getFind', { method: 'GET' }],
  ["curl https://pets.example.com/say --data-raw $'text=it\\'s' -H 'X-Version: 2'", 'postSay', { encoding: 'form' }],
])('%s', async (command, name, tool) => {
  const main = await mainOf(command);
  expect(main.tools).toMatchObject({ [name]: tool });
  expect(JSON.stringify(main)).not.toContain('s3cret');
});

/** As Chrome copies it for cmd. */
const forCmd = String.raw`curl ^"https://pets.example.com/pets?kind=^%^25cat^&by=$HOME^" ^
  -H ^"accept: */*^" ^
  -H ^"x-version: it's 2^" ^
  --data-raw ^"^{^\^"name^\^":^\^"R^\^\^\^"ex ^^ co^\^",^

^\^"age^\^":2^}^"`;

it.each([
  ['with carets', forCmd],
  ['with carets, and line breaks of Windows', forCmd.replaceAll('\n', '\r\n')],
])('reads a command for cmd %s', async (_, command) => {
  const { tools } = await mainOf(command);
  expect(tools).toMatchObject({
    postPets: { tests: [{ kind: '%cat', by: '$HOME', name: 'R"ex ^ co', age: 2 }] },
  });
});

it('reads a command for cmd with carets at the ends of lines only', async () => {
  const { tools } = await mainOf(
    'curl "https://pets.example.com/pets?first=5" ^\r\n  -H "accept: */*" ^\r\n  --compressed',
  );
  expect(tools).toMatchObject({ getPets: { tests: [{ first: 5 }] } });
});

it('carets in a command for bash stay', async () => {
  const { tools } = await mainOf("curl 'https://pets.example.com/pets' -d 'name=a ^\"b^'");
  expect(tools).toMatchObject({ postPets: { tests: [{ name: 'a ^"b^' }] } });
});

it('the test has the values of the command, and says so', async () => {
  const { tools } = await mainOf("curl 'https://pets.example.com/pets?limit=5'");
  expect(tools).toMatchObject({
    getPets: { tests: [{ _description: 'With the values of the curl command', limit: 5 }] },
  });
});

it.each([
  ['wget https://a.example', 'does not begin with curl'],
  ['Invoke-WebRequest -UseBasicParsing -Uri "https://a.example"', 'for PowerShell'],
  ['curl -X POST', 'no http(s) address'],
  ['curl https://a.example https://b.example', 'several addresses'],
  ['curl https://a.example -d @body.json', 'from a file'],
  ['curl --upload-file x https://a.example', '--upload-file is not supported'],
])('says what is wrong with %s', (command, problem) => {
  const { status, findings } = importCurl(command);
  expect(status).toBe(false);
  expect(findings).toMatchObject([{ code: 'IMP007', message: expect.stringContaining(problem) }]);
});
