import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from './support/cli-project.ts';
import { startUpstream } from './support/upstream.ts';

const pet = { type: 'object', properties: { name: { type: 'string', description: 'Its name' } } };

const api = (paths: object) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://pets.example.com' }],
    paths,
  });

const getting = (reference: string) => ({
  get: { responses: { 200: { content: { 'application/json': { schema: { $ref: reference } } } } } },
});

type Omissions = { code: string; message: string; hint: string }[];

describe('schemakit new of several documents', () => {
  test('a file refers to files in its folder, and to none outside', async () => {
    const { start, read, folder } = await cliProject({
      'project/api/openapi.json': api({
        '/pets': { $ref: 'paths/pets.yaml' },
        '/above': getting('../outside.json'),
        '/linked': getting('linked.json'),
        '/none': getting('schemas/none.json#/Pet'),
      }),
      'project/api/paths/pets.yaml':
        "get: { responses: { 200: { content: { application/json: { schema: { $ref: '../schemas/my%20pet.json' } } } } } }",
      'project/api/schemas/my pet.json': JSON.stringify(pet),
      'project/outside.json': JSON.stringify(pet),
    });
    symlinkSync(join(folder, 'outside.json'), join(folder, 'api/linked.json'));
    const { status, json } = await start('new', 'api/openapi.json');
    expect(status).toBe(0);
    expect(read('project/schemas/pets/pets.mjs')).toContain("name: { type: 'string', description: 'Its name' }");
    expect((json.omissions as Omissions).map(({ code, message }) => `${code} ${message}`).toSorted()).toEqual([
      'IMP014 GET /above: outside.json is outside of the folder of the document',
      'IMP014 GET /linked: api/linked.json is outside of the folder of the document',
      'IMP014 GET /none: there is no file api/schemas/none.json',
    ]);
  });

  test('documents at other addresses are read with --remote-refs only, and never at private addresses or without TLS', async () => {
    const inside = await startUpstream(() => ({ body: pet }));
    const upstream = await startUpstream(({ path, headers }) => {
      if (path === '/away.json') return { status: 302, headers: { location: `${inside.origin}/pet.json` } };
      if (path === '/schemas/pet.json') return { body: { $ref: 'deep/pet.json#/Pet' } };
      if (path === '/schemas/deep/pet.json')
        return { body: { Pet: { ...pet, description: String(headers.authorization) } } };
      return {
        body: api({
          '/pets': getting('schemas/pet.json'),
          '/private': getting(`${inside.origin}/pet.json`),
          '/redirected': getting('away.json'),
          '/plain': getting('http://192.0.2.1/pet.json'),
          '/file': getting('file:///etc/passwd'),
        }),
      };
    });
    const { start, read } = await cliProject();
    const without = await start('new', `${upstream.origin}/openapi.json`, '--dry-run');
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/openapi.json']);
    expect(JSON.stringify(without.json.omissions)).toContain('To read it, add --remote-refs.');

    const { json, status } = await start('new', `${upstream.origin}/openapi.json`, '--remote-refs');
    expect(status).toBe(0);
    expect(inside.requests).toEqual([]);
    expect(upstream.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    expect(read('project/schemas/pets/pets.mjs')).toContain("name: { type: 'string', description: 'Its name' }");
    const omissions = (json.omissions as Omissions).map(({ message }) => message).toSorted();
    expect(omissions).toEqual([
      expect.stringContaining('GET /file: a document from an address refers to a file'),
      expect.stringContaining('GET /plain: http://192.0.2.1/pet.json has no TLS'),
      expect.stringContaining(`GET /private: ${inside.origin}/pet.json has no TLS`),
      expect.stringContaining('GET /redirected: cannot read'),
    ]);
  });

  test('a file that refers to an address says how to follow it', async () => {
    const { start } = await cliProject({
      'project/openapi.json': api({
        '/pets': { get: {} },
        '/far': getting('https://pets.example.com/pet.json?key=s3cret#/Pet'),
      }),
    });
    const { json } = await start('new', 'openapi.json', '--dry-run');
    expect(json.omissions).toMatchObject([
      {
        code: 'IMP014',
        message: 'GET /far: https://pets.example.com/pet.json is another document',
        hint: expect.stringContaining('--remote-refs'),
      },
    ]);
    expect(JSON.stringify(json)).not.toContain('s3cret');
  });
});
