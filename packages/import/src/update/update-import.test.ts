import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importOpenApi } from '../import-openapi.ts';
import { type UpdateOptions, updateImport } from './update-import.ts';

type Operation = Record<string, unknown>;

/** A document of these operations, by method and path. */
function documentOf(operations: Readonly<Record<string, Operation>>, more: Record<string, unknown> = {}) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [request, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = request.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: { tags: ['pets'], ...operation } };
  }
  const info = { title: 'Pets', version: '1' };
  return { openapi: '3.1.0', info, servers: [{ url: 'https://pets.example.com' }], paths, ...more };
}

const query = (name: string, schema: object, more: object = {}) => ({ name, in: 'query', schema, ...more });
const json = (schema: object) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } });
const limit = query('limit', { type: 'integer', maximum: 100 }, { description: 'The number of pets in one answer' });

const pets = {
  'GET /pets': { operationId: 'listPets', summary: 'List pets.', parameters: [limit] },
  'POST /pets': {
    operationId: 'createPet',
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } },
    },
  },
  'GET /pets/{id}': {
    operationId: 'getPet',
    summary: 'Get a pet.',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }, limit],
  },
};

/** Imports two versions and merges the second into files that were edited in between. */
function update(
  before: object,
  after: object,
  edit: (files: Record<string, string>) => Record<string, string> = (files) => files,
  more: Partial<UpdateOptions> = {},
) {
  const last = importOpenApi(before, { namespace: 'pets' });
  const next = importOpenApi(after, { namespace: 'pets', previous: last.tools });
  const current = edit({ ...last.files });
  const result = updateImport({ base: last.files, current, next, ...more });
  const files = Object.entries({ ...current, ...result.files }).flatMap(([path, text]) =>
    text === null ? [] : [[path, text]],
  );
  return { ...result, files: Object.fromEntries(files) as Record<string, string>, written: result.files, next };
}

const replaced = (from: string | RegExp, to: string) => (files: Record<string, string>) => {
  const text = files['pets.mjs'] ?? '';
  const edited = text.replace(from, to);
  expect(edited).not.toBe(text);
  return { ...files, 'pets.mjs': edited };
};

describe('what a new version means', () => {
  const changesOf = (before: Operation, after: Operation) => {
    const { changes, status } = update(documentOf({ 'GET /a': before }), documentOf({ 'GET /a': after }));
    expect(status).toBe(true);
    return changes.flatMap((tool) => tool.changes.map(({ place, message, breaking }) => [place, message, breaking]));
  };

  test.each<[string, Operation, Operation, unknown[]]>([
    [
      'a required parameter',
      { parameters: [] },
      { parameters: [query('q', { type: 'string' }, { required: true })] },
      ['parameter q', 'added, and required', true],
    ],
    [
      'an optional parameter',
      { parameters: [] },
      { parameters: [query('q', { type: 'string' })] },
      ['parameter q', 'added', false],
    ],
    [
      'a parameter that is gone',
      { parameters: [query('q', { type: 'string' })] },
      { parameters: [] },
      ['parameter q', 'removed', true],
    ],
    [
      'a parameter that is required now',
      { parameters: [query('q', { type: 'string' })] },
      { parameters: [query('q', { type: 'string' }, { required: true })] },
      ['parameter q', 'is required now', true],
    ],
    [
      'a narrower enum',
      { parameters: [query('q', { type: 'string', enum: ['a', 'b'] })] },
      { parameters: [query('q', { type: 'string', enum: ['a'] })] },
      ['parameter q', 'is no longer "b"', true],
    ],
    [
      'a wider enum',
      { parameters: [query('q', { type: 'string', enum: ['a'] })] },
      { parameters: [query('q', { type: 'string', enum: ['a', 'b'] })] },
      ['parameter q', 'may be "b", too', false],
    ],
    [
      'a narrower type',
      { parameters: [query('q', { type: 'number' })] },
      { parameters: [query('q', { type: 'integer' })] },
      ['parameter q', 'is integer instead of number', true],
    ],
    [
      'a wider type',
      { parameters: [query('q', { type: 'integer' })] },
      { parameters: [query('q', { type: 'number' })] },
      ['parameter q', 'is number instead of integer', false],
    ],
    [
      'a lower maximum',
      { parameters: [query('q', { type: 'integer', maximum: 9 })] },
      { parameters: [query('q', { type: 'integer', maximum: 5 })] },
      ['parameter q', '`maximum` is 5 instead of 9', true],
    ],
    [
      'a higher maximum',
      { parameters: [query('q', { type: 'integer', maximum: 5 })] },
      { parameters: [query('q', { type: 'integer', maximum: 9 })] },
      ['parameter q', '`maximum` is 9 instead of 5', false],
    ],
    [
      'a member of the answer that is gone',
      { responses: json({ type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } }) },
      { responses: json({ type: 'object', properties: { id: { type: 'integer' } } }) },
      ['output name', 'removed', true],
    ],
    [
      'a new member of the answer',
      { responses: json({ type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } }) },
      {
        responses: json({
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
        }),
      },
      ['output [].name', 'added', false],
    ],
    ['a description', { summary: 'One.' }, { summary: 'Two.' }, ['description', 'changed', false]],
  ])('%s', (_, before, after, expected) => {
    const one = { operationId: 'readA' };
    expect(changesOf({ ...one, ...before }, { ...one, ...after })).toContainEqual(expected);
  });

  test('tools that come and go, and a new secret', () => {
    const { 'GET /pets': list, 'POST /pets': create } = pets;
    const secured = {
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      security: [{ key: [] }],
    };
    const { changes } = update(
      documentOf({ 'GET /pets': list, 'POST /pets': create }),
      documentOf({ 'GET /pets': list, 'GET /cats': {} }, secured),
    );
    expect(changes).toMatchObject([
      { tool: 'pets__createPet', kind: 'removed', breaking: true },
      { tool: 'pets__getCats', kind: 'added', breaking: false },
      { tool: 'pets__listPets', kind: 'changed', breaking: true, changes: [{ place: 'credentials', breaking: true }] },
    ]);
  });

  test('another operationId or parameter name does not rename a tool, and a moved path does not either', () => {
    const { 'GET /pets/{id}': get, 'GET /pets': list } = pets;
    const moved = documentOf({
      'GET /pets/{petId}': {
        ...get,
        operationId: 'fetchOnePet',
        parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }, limit],
      },
      'GET /v2/pets': list,
    });
    const { changes } = update(documentOf({ 'GET /pets/{id}': get, 'GET /pets': list }), moved);
    expect(changes.map(({ tool, kind }) => [tool, kind])).toEqual([
      ['pets__getPet', 'changed'],
      ['pets__listPets', 'changed'],
    ]);
    expect(changes[1]?.changes).toContainEqual({
      place: 'request',
      message: 'is GET /v2/pets instead of GET /pets',
      breaking: true,
    });
  });

  test('a new tool that wants the name of a known one gets another', () => {
    const { changes } = update(
      documentOf({ 'GET /pets': { operationId: 'list' } }),
      documentOf({ 'GET /pets': { operationId: 'listOld' }, 'GET /v2/pets': { operationId: 'list' } }),
    );
    expect(changes).toMatchObject([{ kind: 'added', tool: expect.stringMatching(/^pets__list_[0-9a-f]{6}$/) }]);
  });

  test('a ninth tool does not divide the file', () => {
    const operations = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`GET /pets/${String.fromCharCode(97 + n)}/x`, {}]));
    const { files, changes } = update(documentOf(operations(8)), documentOf(operations(9)));
    expect(changes).toMatchObject([{ kind: 'added' }]);
    expect(Object.keys(files)).toHaveLength(2);
    expect(files['pets.mjs']).toBeDefined();
  });

  test('another API is refused (IMP029)', () => {
    const { status, findings, written } = update(documentOf(pets), documentOf({ 'GET /stars': {} }));
    expect({ status, written, code: findings[0]?.code }).toEqual({ status: false, written: {}, code: 'IMP029' });
  });
});

describe('what a person did', () => {
  const wider = documentOf({
    ...pets,
    'GET /pets': { ...pets['GET /pets'], parameters: [limit, query('kind', { type: 'string' })] },
    'DELETE /pets/{id}': {
      operationId: 'removePet',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    },
  });

  test('a description, a handler, a constant and a comment stay', () => {
    const { status, files, kept } = update(documentOf(pets), wider, (all) => ({
      'pets.mjs': `${all['pets.mjs']
        ?.replace("description: 'List pets.'", "// Ours.\n      description: 'Our list.'")
        .replace('The number of pets in one answer', 'How many')}
const greeting = 'hello';
export const handlers = () => ({ getPet: { postRequest: async ({ response }) => ({ response, greeting }) } });
`,
    }));
    const text = files['pets.mjs'] ?? '';
    expect(status).toBe(true);
    for (const part of [
      "// Ours.\n      description: 'Our list.'",
      'How many',
      "greeting = 'hello'",
      'kind',
      'removePet:',
    ]) {
      expect(text).toContain(part);
    }
    expect(kept.map(({ part, kind }) => [part, kind])).toEqual([
      ['const limit', 'edited'],
      ['tool listPets', 'edited'],
      ['const greeting', 'added'],
      ['statement handlers', 'added'],
    ]);
  });

  test('a removed tool stays away, a renamed one follows the document', () => {
    const { files, kept, status } = update(documentOf(pets), wider, (all) => ({
      'pets.mjs': (all['pets.mjs'] ?? '')
        .replace(/ {4}createPet: \{[\s\S]*?\n {4}\},\n\n/, '')
        .replace('listPets: {', 'findPets: {'),
    }));
    expect(status).toBe(true);
    expect(files['pets.mjs']).not.toMatch(/createPet|listPets/);
    expect(files['pets.mjs']).toMatch(/findPets: \{[\s\S]*kind[\s\S]*getPet/);
    expect(kept).toMatchObject([
      { part: 'tool listPets', kind: 'renamed', to: 'findPets' },
      { part: 'tool createPet', kind: 'removed' },
    ]);
  });

  test('a removed tool stays away in another file, too, where its credentials take it', () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };
    const secured = { ...pets, 'POST /pets': { ...pets['POST /pets'], security: [{ key: [] }] } };
    const after = documentOf(secured, { components });
    const moved = update(documentOf(pets), after);
    expect(Object.keys(moved.files)).toEqual(['pets.mjs', 'pets-api-key.mjs']);
    const { files, status } = update(documentOf(pets), after, replaced(/ {4}createPet: \{[\s\S]*?\n {4}\},\n\n/, ''));
    expect({ status, paths: Object.keys(files) }).toEqual({ status: true, paths: ['pets.mjs'] });
    const both = { ...secured, 'DELETE /pets': { operationId: 'removePets', security: [{ key: [] }] } };
    const more = update(
      documentOf(pets),
      documentOf(both, { components }),
      replaced(/ {4}createPet: \{[\s\S]*?\n {4}\},\n\n/, ''),
    );
    expect(more.files['pets-api-key.mjs']).toContain('removePets');
    expect(more.files['pets-api-key.mjs']).not.toContain('createPet');
  });

  test('a removed file stays away, and another file is not touched', () => {
    const { written, kept } = update(documentOf(pets), wider, () => ({ 'own.mjs': 'mine' }));
    expect(written).toEqual({});
    expect(kept).toEqual([{ path: 'pets.mjs', part: '', kind: 'removed' }]);
  });

  test('another format of the file is no edit', () => {
    const { status, files } = update(documentOf(pets), wider, (all) => ({
      'pets.mjs': (all['pets.mjs'] ?? '')
        .replaceAll("'", '"')
        .replaceAll('  ', '\t')
        .replaceAll(',\n', '\n,')
        .replace(/,(\s*[}\]])/g, '$1'),
    }));
    expect(status).toBe(true);
    expect(files['pets.mjs']).toContain('removePet');
  });

  test('line ends of Windows stay', () => {
    const { files } = update(documentOf(pets), wider, (all) => ({
      'pets.mjs': (all['pets.mjs'] ?? '').replace('List pets.', 'Ours.').replaceAll('\n', '\r\n'),
    }));
    expect(files['pets.mjs']?.replaceAll('\r\n', '')).not.toContain('\n');
    expect(files['pets.mjs']).toMatch(/Ours\.[\s\S]*removePet/);
  });

  const changedSummary = documentOf({ ...pets, 'GET /pets': { ...pets['GET /pets'], summary: 'All pets.' } });

  test('the same lines as the document are a conflict (IMP027) with both texts, and nothing is written', () => {
    const edit = replaced('List pets.', 'Our list.');
    const { status, conflicts, findings, written } = update(documentOf(pets), changedSummary, edit);
    expect({ status, written }).toEqual({ status: false, written: {} });
    expect(conflicts).toMatchObject([
      {
        path: 'pets.mjs',
        part: 'tool listPets.description',
        file: expect.stringContaining('Our list.'),
        document: expect.stringContaining('All pets.'),
      },
    ]);
    expect(findings).toMatchObject([{ code: 'IMP027', file: 'pets.mjs', line: conflicts[0]?.line }]);
    const line = (edit(importOpenApi(documentOf(pets)).files)['pets.mjs'] ?? '').split('\n')[
      (conflicts[0]?.line ?? 0) - 1
    ];
    expect(line).toContain('Our list.');
  });

  test.each(['document', 'file'] as const)('a conflict is decided for the %s', (prefer) => {
    const { status, files } = update(documentOf(pets), changedSummary, replaced('List pets.', 'Our list.'), { prefer });
    expect(status).toBe(true);
    expect(files['pets.mjs']).toContain(prefer === 'file' ? 'Our list.' : 'All pets.');
  });

  test('an edited tool, or one with a handler, that the document removes is a conflict', () => {
    const { 'POST /pets': _, ...fewer } = pets;
    const handler = '\nexport const handlers = () => ({ createPet: { preRequest: async (given) => given } });\n';
    const edits = [
      replaced("'POST /pets'", "'Create one.'"),
      (all: Record<string, string>) => ({ 'pets.mjs': all['pets.mjs'] + handler }),
    ];
    for (const edit of edits) {
      const { conflicts } = update(documentOf(pets), documentOf(fewer), edit);
      expect(conflicts).toMatchObject([{ part: 'tool createPet', document: '' }]);
    }
  });

  test('a file that cannot be read is said with its place (IMP028)', () => {
    const { findings, written } = update(documentOf(pets), wider, replaced('tools: {', 'tools: {{'));
    expect(written).toEqual({});
    expect(findings).toMatchObject([{ code: 'IMP028', file: 'pets.mjs', line: expect.any(Number) }]);
  });
});

describe('constants', () => {
  const other = query(
    'limit',
    { type: 'integer', maximum: 5 },
    { description: 'Another limit, of another kind of list' },
  );
  const list = (...parameters: object[]) => ({ parameters });

  test('an edited tool keeps its constant when the document changes the one of others', () => {
    const before = documentOf({ 'GET /a': list(limit), 'GET /b': list(limit), 'GET /c': list(limit) });
    const after = documentOf({ 'GET /a': list(other), 'GET /b': list(limit), 'GET /c': list(other) });
    const { status, files } = update(before, after, replaced("'GET /b'", "'Ours'"));
    expect(status).toBe(true);
    const text = files['pets.mjs'] ?? '';
    expect(text).toMatch(/getB: \{[\s\S]*?parameters: \[limit\]/);
    expect(text).toMatch(/const limit = \{[\s\S]*?max\(100\)/);
    expect(text).toMatch(/getA: \{[\s\S]*?parameters: \[limit2\]/);
  });

  test('names that only moved are no change', () => {
    const before = documentOf({
      ...{ 'GET /a': list(limit), 'GET /b': list(limit), 'GET /c': list(other), 'GET /d': list(other) },
    });
    const after = documentOf({ 'GET /b': list(limit), 'GET /c': list(other), 'GET /d': list(other) });
    const { status, files } = update(before, after, replaced('Another limit', 'Our limit'));
    expect(status).toBe(true);
    expect(files['pets.mjs']).toMatch(/const limit2 = \{[\s\S]*?Our limit/);
    expect(files['pets.mjs']).not.toContain('const limit =');
  });

  test('an edited one that no tool shares any more is a conflict', () => {
    const before = documentOf({ 'GET /a': list(limit), 'GET /b': list(limit) });
    const after = documentOf({ 'GET /a': list(limit), 'GET /b': list() });
    const { conflicts } = update(before, after, replaced('The number', 'Our number'));
    expect(conflicts).toMatchObject([{ part: 'const limit', document: '' }]);
  });
});

const operation = fc.record({
  summary: fc.constantFrom('Read.', 'Read it all.', 'Read one of them, and more of what is there.'),
  parameters: fc.subarray([
    limit,
    query('kind', { type: 'string' }),
    query('sort', { type: 'string', enum: ['up', 'down'] }),
  ]),
  responses: fc.constantFrom(json({}), json({ type: 'object', properties: { id: { type: 'integer' } } })),
});
const operations = fc.dictionary(fc.constantFrom('GET /a', 'GET /b', 'POST /b', 'GET /c', 'GET /d'), operation, {
  minKeys: 1,
  noNullPrototype: true,
});

describe('always', () => {
  test('without edits, the files are those of the new import', () => {
    fc.assert(
      fc.property(operations, operations, (one, two) => {
        const same = { 'GET /same': { operationId: 'same' } };
        const { status, files, next } = update(documentOf({ ...one, ...same }), documentOf({ ...two, ...same }));
        expect({ status, files }).toEqual({ status: true, files: next.files });
      }),
    );
  });

  test('without a new version, the files stay as they were edited', () => {
    fc.assert(
      fc.property(operations, fc.nat(), fc.string(), (one, at, insertion) => {
        const document = documentOf(one);
        const edit = (files: Record<string, string>) =>
          Object.fromEntries(
            Object.entries(files).map(([path, text]) => {
              const place = at % text.length;
              return [path, text.slice(0, place) + insertion + text.slice(place)];
            }),
          );
        const { written, changes, conflicts } = update(document, document, edit);
        expect({ written, changes, conflicts }).toEqual({ written: {}, changes: [], conflicts: [] });
      }),
    );
  });

  test('an edit of one tool and changes of others never meet', () => {
    fc.assert(
      fc.property(operations, operations, operation, (one, two, own) => {
        const edited = { 'GET /edited': { operationId: 'edited', ...own } };
        const { status, files, conflicts, next } = update(
          documentOf({ ...one, ...edited }),
          documentOf({ ...two, ...edited }),
          replaced(/(edited: \{[\s\S]*?description: )'Read/, "$1'Ours. Read"),
        );
        expect({ status, conflicts }).toEqual({ status: true, conflicts: [] });
        const ours = importedTools(files);
        const theirs = importedTools(next.files);
        expect(ours).toEqual({
          ...theirs,
          edited: { ...theirs.edited, description: `Ours. ${theirs.edited?.description}` },
        });
      }),
    );
  });
});

function importedTools(files: Record<string, string>): Record<string, { description: string }> {
  const texts = Object.values(files).map((text) =>
    text.replaceAll('export const main =', 'return main =').replace(/^/, 'let main;'),
  );
  return Object.assign({}, ...texts.map((text) => (Function(text)() as { tools: object }).tools));
}

test('a change of a constant is a conflict where a person wrote its value in place of it', () => {
  const shop = (more: object) => {
    const text = { type: 'string' };
    const properties = { id: text, name: text, colour: text, breed: text, owner: text, ...more };
    const operation = (operationId: string) => ({ operationId, responses: json({ $ref: '#/components/schemas/Pet' }) });
    const components = { schemas: { Pet: { type: 'object', properties } } };
    return documentOf({ 'GET /pet': operation('getPet'), 'POST /pet': operation('createPet') }, { components });
  };
  const [before, after] = [shop({}), shop({ chip: { type: 'string' } })];
  const edit = replaced(/schema: \w+ \}/, "schema: { type: 'object', properties: { id: { type: 'integer' } } } }");
  const { conflicts, written } = update(before, after, edit);
  expect(conflicts).toMatchObject([{ path: 'pets.mjs', part: expect.stringMatching(/^tool \w+\.output$/) }]);
  expect(conflicts[0]?.file).toContain("id: { type: 'integer' }");
  expect(conflicts[0]?.document).toMatch(/schema: pet \}[\s\S]*\nconst pet = \{[\s\S]*chip: \{/);
  expect(written).toEqual({});
  const { files } = update(before, after, edit, { prefer: 'document' });
  expect(files['pets.mjs']).not.toContain("type: 'integer'");
  expect(update(before, after, edit, { prefer: 'file' }).files['pets.mjs']).toContain("type: 'integer'");
});
