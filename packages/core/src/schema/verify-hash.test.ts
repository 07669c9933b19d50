import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashForms, hashSchema, verifyHash } from './hash.ts';

const tool = {
  method: 'GET',
  path: '/tides',
  description: 'Tides',
  parameters: [],
  output: { mimeType: 'text/plain' },
};
const main = {
  version: '3.0.0',
  namespace: 'tides',
  tools: { getTides: tool },
  sharedLists: [{ ref: 'harbours', version: '1.0.0', filter: { key: 'alias', exists: true } }, 'frames'],
};
const list = { meta: { name: 'harbours', version: '1.0.0' }, entries: [{ alias: 'brest' }] };
const tools = [
  { id: 'tides/tool/getTides', hash: 'sha256:2' },
  { id: 'ferries/tool/listFerries', hash: 'sha256:1' },
];

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

describe('hashForms', () => {
  it('hashes canonical JSON as in RFC 8785', () => {
    const text =
      '{"namespace":"tides","sharedLists":[{"filter":{"exists":true,"key":"alias"},"ref":"harbours","version":"1.0.0"},"frames"],"tools":{"getTides":{"description":"Tides","method":"GET","output":{"mimeType":"text/plain"},"parameters":[],"path":"/tides"}},"version":"3.0.0"}';
    expect(hashForms({ main }).canonical).toBe(sha256(text));
    expect(hashSchema({ status: true, main })).toBe(sha256(text));
  });

  it.each([
    ['main', { main }, JSON.stringify(main)],
    [
      'tool',
      { tool: { main, name: 'getTides' } },
      '{"namespace":"tides","version":"3.0.0","tool":{"name":"getTides","method":"GET","path":"/tides","parameters":[],"output":{"mimeType":"text/plain"}},"sharedListRefs":[{"ref":"harbours","version":"1.0.0"},{"ref":"frames"}]}',
    ],
    ['list', { list }, JSON.stringify(list)],
    [
      'agent',
      { agent: { tools } },
      '[{"id":"ferries/tool/listFerries","hash":"sha256:1"},{"id":"tides/tool/getTides","hash":"sha256:2"}]',
    ],
    ['file', { file: 'export const main = "é";\n' }, 'export const main = "é";\n'],
    ['file', { file: new TextEncoder().encode('é') }, 'é'],
  ] as const)('hashes a %s as it was written', (_, subject, text) => {
    expect(hashForms(subject).plain).toBe(sha256(text));
  });

  it('does not depend on the order of keys, in the canonical form', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([key, child]) => [key, shuffled(child)] as const);
      return Object.fromEntries(entries.reverse());
    };
    const data = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(data, (value) => {
        expect(hashSchema(shuffled(value))).toBe(hashSchema(value));
        expect(hashSchema(value)).not.toBeNull();
      }),
    );
  });

  it('refuses an unknown tool or field', () => {
    for (const name of ['toString', '__proto__']) {
      expect(hashForms({ tool: { main, name } })).toEqual({ canonical: null, plain: null });
    }
    const changed = { ...main, tools: { getTides: { ...tool, description: 'Other words', tests: [] } } };
    expect(hashForms({ tool: { main: changed, name: 'getTides' } })).toEqual(
      hashForms({ tool: { main, name: 'getTides' } }),
    );
  });
});

describe('verifyHash', () => {
  const subjects = [{ main }, { tool: { main, name: 'getTides' } }, { list }, { agent: { tools } }] as const;

  it.each(subjects)('knows both forms of %j', (subject) => {
    const { canonical, plain } = hashForms(subject);
    expect(verifyHash({ ...subject, hash: canonical ?? '' })).toMatchObject({ status: true, form: 'canonical' });
    expect(verifyHash({ ...subject, hash: plain ?? '' })).toMatchObject({ status: true, form: 'plain' });
    expect(verifyHash({ ...subject, hash: plain?.slice(7).toUpperCase() ?? '' })).toMatchObject({ form: 'plain' });
  });

  it('reports the actual hash', () => {
    const { canonical, plain } = hashForms({ main });
    const expected = `sha256:${'0'.repeat(64)}`;
    expect(verifyHash({ main, hash: expected })).toEqual({
      status: false,
      form: null,
      found: { canonical, plain },
      messages: [`the hash of main does not match: expected ${expected}, found ${canonical} or ${plain}`],
      findings: [expect.objectContaining({ code: 'HSH002', severity: 'error', path: 'main' })],
    });
    expect(verifyHash({ file: 'a', hash: expected }).messages).toEqual([
      `the hash of file does not match: expected ${expected}, found ${sha256('a')}`,
    ]);
  });

  it.each([
    [{ main, hash: 'sha256:abc' }, 'HSH001'],
    [{ main }, 'HSH001'],
    [{ main, list, hash: hashSchema(main) }, 'HSH003'],
    [{ hash: sha256('') }, 'HSH003'],
    [undefined, 'HSH003'],
    [{ main: 3n, hash: sha256('') }, 'HSH003'],
    [{ main: { big: 3n }, hash: sha256('') }, 'HSH003'],
    [{ file: {}, hash: sha256('') }, 'HSH003'],
    [{ tool: { main, name: 'other' }, hash: sha256('') }, 'HSH003'],
    [{ agent: { tools: [{ id: 'a/tool/b' }] }, hash: sha256('') }, 'HSH003'],
  ])('refuses %o', (options, code) => {
    const { status, form, findings } = verifyHash(options as never);
    expect({ status, form, codes: findings.map((finding) => finding.code) }).toEqual({
      status: false,
      form: null,
      codes: [code],
    });
  });

  it('compares content that has only one form', () => {
    const half = { namespace: '\ud800' };
    expect(hashForms({ main: half }).canonical).toBeNull();
    expect(verifyHash({ main: half, hash: sha256(JSON.stringify(half)) })).toMatchObject({
      status: true,
      form: 'plain',
    });
  });

  it('never throws for any argument', () => {
    const anything = fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true, withSparseArray: true });
    const subject = fc.record(
      { main: anything, tool: anything, agent: anything, file: anything, hash: anything },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, subject), (options) => {
        const { status, form } = verifyHash(options as never);
        expect(status).toBe(form !== null);
      }),
    );
  });
});
