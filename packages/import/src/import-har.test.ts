import { SchemaKit } from '@schemakit/core';
import { expect, it } from 'vitest';
import { importHar } from './import-har.ts';

const entry = (method: string, url: string, answer: unknown, request: object = {}) => ({
  request: { method, url, headers: [{ name: 'Authorization', value: 'Bearer s3cret' }], ...request },
  response: {
    status: 200,
    content: { mimeType: 'application/json; charset=utf-8', text: JSON.stringify(answer), ...Object(answer).content },
  },
});
const picture = {
  request: { method: 'GET', url: 'https://cdn.example.com/a.png' },
  response: { status: 200, content: { mimeType: 'image/png', text: 'AAAA', encoding: 'base64' } },
};
const api = 'https://api.pets.example.com';
const json = (value: unknown) => ({ mimeType: 'application/json', text: JSON.stringify(value) });

it('makes one tool of requests that differ in values, and lists what it left', async () => {
  const entries = [
    entry('GET', `${api}/pets/7?details=true`, { id: 7, name: 'Rex', owner: null }),
    entry('GET', `${api}/pets/8`, { id: 8, name: 'Ada', owner: 'amy', tags: ['old', 'calm'] }),
    entry('POST', `${api}/pets`, { id: 9 }, { postData: json({ name: 'Bo', weight: 1.5 }) }),
    entry('POST', `${api}/pets`, { id: 10 }, { postData: json({ name: 'Cy', weight: 2, tags: ['new'] }) }),
    entry('GET', 'https://metrics.example.com/ping', { ok: true }),
    picture,
  ];
  const { messages, tools, omissions, files } = importHar({ log: { entries } });
  expect(messages).toEqual([]);
  expect(tools.map(({ name }) => name)).toEqual(['pets__postPets', 'pets__getPetsByPetId']);
  expect(omissions.filter(({ code }) => code === 'IMP025').map(({ message }) => message)).toEqual([
    '1 of 6 recorded requests were not answered with JSON',
    `1 of 6 recorded requests are to https://metrics.example.com, not to ${api}`,
  ]);
  const [text = ''] = Object.values(files);
  for (const hidden of ['s3cret', 'Ada', 'amy']) expect(text).not.toContain(hidden);
  const { main } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  expect(SchemaKit.validateMain({ main }).status).toBe(true);
  const shapes = JSON.stringify(main.tools.postPets.parameters);
  for (const shape of ['"string()"', '"number()"', '"array(string())"']) expect(shapes).toContain(shape);
  expect(main.tools.getPetsByPetId).toMatchObject({ path: '/pets/{{petId}}' });
  expect(JSON.stringify(main.tools.getPetsByPetId.output)).toMatch(/"name".*"tags"/);
});

it('says what a recording without calls needs', () => {
  for (const entries of [[], [picture], [{}], [null]])
    expect(importHar({ log: { entries } }).findings).toMatchObject([
      { code: 'IMP009', message: 'no recorded request was answered with JSON', hint: expect.stringContaining('HAR') },
    ]);
});
