import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOutput, outputFitter } from './check-output.ts';

const schema = {
  type: 'object',
  properties: {
    total: { type: 'integer' },
    items: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number', nullable: true } } },
    },
  },
};

describe('checkOutput', () => {
  it('has no findings for a matching answer, with fields missing or added', () => {
    expect(checkOutput({ items: [{ name: 'a', price: null }, { price: 2.5, colour: 'red' }, {}] }, schema)).toEqual([]);
  });

  it('warns of mismatches, with the path, the expected and the actual value', () => {
    const findings = checkOutput({ total: 1.5, items: [{ name: 'a' }, { name: null, price: '3' }, []] }, schema);
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual(Array(4).fill('OUT004 warning'));
    expect(findings.map(({ message }) => message)).toEqual([
      '$.total: expected a whole number, got 1.5',
      '$.items[1].name: expected text, got null',
      '$.items[1].price: expected a number or null, got "3" (text)',
      '$.items[2]: expected an object, got a list of 0 items',
    ]);
    expect(findings[1]?.path).toBe('$.items[1].name');
  });

  it('shows twenty mismatches and counts the rest', () => {
    const findings = checkOutput({ items: Array(23).fill('x') }, schema);
    expect(findings).toHaveLength(21);
    expect(findings[20]?.message).toBe('3 more values differ from the output schema');
    expect(checkOutput({ items: Array(20).fill('x') }, schema)).toHaveLength(20);
  });

  it.each([
    ['text', { type: 'number' }, ['$: expected a number, got "text" (text)']],
    [undefined, { type: 'object' }, ['$: expected an object, got nothing']],
    [null, { type: ['string', 'null'] }, []],
    [4, { type: ['string', 'null'] }, ['$: expected text or null, got 4']],
    [4, {}, []],
    [4, { type: 'decimal' }, []],
    [4, { type: 'toString' }, []],
    [4, null, []],
    [{ a: 1 }, { properties: { a: { type: 'string' } } }, ['$.a: expected text, got 1']],
    [{ 'a b': 1 }, { properties: { 'a b': { type: 'string' } } }, ['$["a b"]: expected text, got 1']],
    [{ a: 1 }, { type: 'object', properties: { a: 'string' } }, []],
    [{}, { type: 'object', properties: { toString: { type: 'string' } } }, []],
    [[[1, 'x']], { items: { items: { type: 'number' } } }, ['$[0][1]: expected a number, got "x" (text)']],
  ])('checks %j against %j', (data, node, messages) => {
    expect(checkOutput(data, node).map(({ message }) => message)).toEqual(messages);
  });

  it('ends if a schema contains itself', () => {
    const node: Record<string, unknown> = { type: 'object' };
    node.properties = { self: node };
    const data: Record<string, unknown> = {};
    data.self = data;
    expect(checkOutput(data, node)).toEqual([]);
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level += 1) deep = { items: deep };
    expect(checkOutput([[data]], deep)).toEqual([]);
  });

  it('never throws for any argument', () => {
    const anything = fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true, withSparseArray: true });
    fc.assert(fc.property(anything, anything, (data, node) => void checkOutput(data, node)));
  });
});

describe('outputFitter', () => {
  const fit = (data: unknown) => outputFitter(schema)(data, () => {});

  it('returns a matching answer unchanged', () => {
    const data = { total: 3, items: [{ name: 'a' }], more: [] };
    expect(fit(data)).toBe(data);
  });

  it('leaves out mismatches, and nothing else', () => {
    const data = { total: 'x', items: [{ name: 'a', price: 'b' }, 4, { name: 'c' }], more: [] };
    const before = structuredClone(data);
    expect(fit(data)).toEqual({ items: [{ name: 'a' }, { name: 'c' }], more: [] });
    expect(data).toEqual(before);
    expect(fit('text')).toBeUndefined();
  });

  it('returns a matching value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const data = { total: value, items: [{ name: value }, value] };
        expect(checkOutput(fit(data), schema)).toEqual([]);
      }),
    );
  });
});
