import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { hasTerminal } from './support/command.ts';
import { openTerminal } from './support/terminal-session.ts';
import { startUpstream } from './support/upstream.ts';

test('without a terminal, new says what to give it', async () => {
  const { start, has } = await cliProject();
  const { status, json } = await start('new');
  expect(status).toBe(2);
  expect(json).toMatchObject({
    error: expect.stringContaining('questions need a terminal'),
    fix: expect.stringContaining('schemakit new openapi.yaml'),
  });
  expect(has('project/schemas')).toBe(false);
});

describe.runIf(hasTerminal)('schemakit new at a terminal', { timeout: 120_000 }, () => {
  async function terminal(files: Record<string, string> = {}) {
    const project = await cliProject(files);
    return { ...project, shell: await openTerminal({ cwd: project.folder, env: { SCHEMAKIT_HOME: project.home } }) };
  }

  test('asks for one request, and writes a schema that validates and is called', async () => {
    const upstream = await startUpstream(({ path, headers }) =>
      path === '/v1/pets/7' && headers['x-pet-key'] === 'k-123456' ? { body: { name: 'Rex' } } : { status: 404 },
    );
    const { shell, read, run } = await terminal({ 'project/.env': 'PETS_API_KEY=k-123456\n' });
    const { status, screen } = await shell.run('schemakit new', [
      ['curl command: [none] ', ''],
      ['letters from a to z: ', 'My Pets'],
      ['Use 1 to 40 letters from a to z.', 'pets'],
      ['https://api.example.com/v1: ', 'pets.example'],
      ['without credentials', `${upstream.origin}/v1`],
      ['GET /pets/{id}: ', 'LOOK /pets/{id}'],
      ['a name in braces', 'get /pets/{petId}'],
      ['What does it do? [GET /pets/{petId}] ', 'One pet.'],
      ['An example of petId, for the test: [none] ', '7'],
      ['How does it authenticate', 'header'],
      ['Name of the header: [X-Api-Key] ', 'X-Pet-Key'],
    ]);
    expect(status).toBe(0);
    expect(screen).toContain('Next: schemakit validate schemas/pets');
    const text = read('project/schemas/pets/pets.mjs');
    expect(text).toMatch(/^\/\/ Add next:\n/);
    expect(text).toContain("description: 'One pet.'");
    expect(run('validate', 'schemas/pets')).toMatchObject({ status: 0 });
    const called = await shell.run('schemakit call schemas/pets/pets.mjs::tool::getPetsByPetId petId=7');
    expect(called.screen).toContain('"name": "Rex"');
  });

  test.each([
    ['none', '', ''],
    ['bearer', "type: 'bearer'", 'POST /pets'],
    ['query', 'api_key', 'DELETE /pets/{id}/toys/{toy}'],
    ['basic', 'USER', '/'],
  ])('authenticates by %s', async (kind, written, request) => {
    const { shell, folder, read, run } = await terminal();
    const names = [...request.matchAll(/\{(\w+)\}/g)].map(([, name]): [string, string] => [
      `An example of ${name}`,
      '',
    ]);
    const { status } = await shell.run('schemakit new', [
      ['[none] ', 'none'],
      ['from a to z: ', 'pets'],
      ['/v1: ', 'https://api.example.com'],
      ['{id}: ', request || '/pets'],
      ['What does it do?', ''],
      ...names,
      ['How does it authenticate', kind],
      ...(kind === 'query' ? [['Name of the parameter: [api_key] ', ''] as [string, string]] : []),
    ]);
    expect(status).toBe(0);
    expect(run('validate', 'schemas/pets').status).toBe(0);
    const [file = ''] = readdirSync(join(folder, 'schemas/pets'));
    expect(read(`project/schemas/pets/${file}`)).toContain(written);
  });

  test('takes a file, an address or a curl command as an answer', async () => {
    const { shell, has } = await terminal();
    const { status } = await shell.run('schemakit new', [['[none] ', 'curl https://api.sea.example/tides']]);
    expect(status).toBe(0);
    expect(has('project/schemas/sea')).toBe(true);
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s writes nothing', async (_, key) => {
    const { shell, has } = await terminal();
    shell.type('schemakit new');
    await shell.see('[none] ');
    shell.type('');
    await shell.see('from a to z: ');
    expect((await shell.interrupt(key)).status).toBe(130);
    expect(has('project/schemas')).toBe(false);
  });
});
