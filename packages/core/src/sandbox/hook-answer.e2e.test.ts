import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { hookOf, noNetwork } from './fixtures/program.ts';
import { type HookOutcome, runHandler } from './handler-call.ts';
import { closeHandlerPool } from './handler-pool.ts';

afterAll(closeHandlerPool);

/** What a hook with this body did; `visible` is what it sees in `context`. */
function outcomeOf(body: string, visible: Record<string, unknown> = {}): Promise<HookOutcome> {
  const context = { visible, hidden: [] };
  return runHandler({ program: hookOf(body), name: 'tool', hook: 'executeRequest', context, fetch: noNetwork });
}

/** The forms that docs/handlers.md defines, written down once more. */
function formOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'symbol' || typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const inList = (item: unknown) => formOf(item) ?? null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray) return Buffer.from(value).toString('base64');
  if (ArrayBuffer.isView(value)) return Array.from(value as Int16Array, inList);
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, inList);
  if (value instanceof Map && [...value.keys()].some((key) => typeof key !== 'string'))
    return Array.from(value, ([key, item]) => [inList(key), inList(item)]);
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, formOf(item)]).filter(([, form]) => form !== undefined) as [string, unknown][],
  );
}

const data = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSet: true,
  withSparseArray: true,
  withUnicodeString: true,
});
// Without numbers of floating point, for which handlers have no typed arrays.
const bytes = fc.oneof(fc.uint8Array(), fc.uint8ClampedArray(), fc.int16Array(), fc.bigInt64Array());
const anything = fc.oneof({ arbitrary: data, weight: 8 }, bytes);

describe('the answer of a hook', () => {
  test('has the documented form, and its text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: 10, maxLength: 40 }), async (values) => {
        const makers = values.map((value) => `() => (${fc.stringify(value)})`).join(',\n');
        const outcome = await outcomeOf(`return { response: [${makers}].map((make) => make()) }`);
        const expected = JSON.stringify(formOf(values));
        expect(JSON.stringify(outcome.value)).toBe(`{"response":${expected}}`);
        expect(outcome.answer?.json).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    ['response', 'return { response: [1, "ä"] }'],
    ['struct.data', 'context.struct.data = [1, "ä"]; return { struct: context.struct }'],
    ['struct.data of a hook that returns nothing', 'context.struct.data = [1, "ä"];'],
    [
      'response, where both are there',
      'context.struct.data = 7; return { struct: context.struct, response: [1, "ä"] }',
    ],
  ])('is told apart: %s', async (_, body) => {
    const { answer, value, changes } = await outcomeOf(body, { struct: { status: true, data: null } });
    expect(answer).toEqual({ data: [1, 'ä'], json: '[1,"ä"]' });
    const { response, struct = changes } = (value ?? {}) as { response?: unknown; struct?: { data?: unknown } };
    expect(response ?? struct.data).toBe(answer?.data);
  });

  test.each([
    ['the data itself', 'return [1]', [1]],
    ['nothing', 'return undefined', undefined],
    ['no data', 'return { response: undefined, kept: 1 }', { kept: 1 }],
    ['no object with data', 'return { struct: 5 }', { struct: 5 }],
    ['a list that has a response', 'return Object.assign([1], { response: 2 })', [1]],
  ])('is not told apart where the hook returns %s', async (_, body, expected) => {
    const outcome = await outcomeOf(body);
    expect(outcome).toEqual({ value: expected, changes: {} });
    expect('answer' in outcome).toBe(false);
  });

  test.each([
    ['-0', '-0', '0'],
    ['NaN', 'NaN', 'null'],
    ['undefined in a list', '[undefined]', '[null]'],
    ['undefined in an object', '({ a: undefined, b: 1 })', '{"b":1}'],
    ['holes', '[, 1, , 2]', '[null,1,null,2]'],
    ['a key __proto__', '({ ["__proto__"]: { polluted: 1 } })', '{"__proto__":{"polluted":1}}'],
    ['half of a character', '"\\ud800"', '"\\ud800"'],
    ['keys that are numbers', '({ b: 1, 2: 2, 1: 3 })', '{"1":3,"2":2,"b":1}'],
    ['the same twice', '(() => { const one = { a: 1 }; return [one, one]; })()', '[{"a":1},{"a":1}]'],
    ['itself', '(() => { const ring = {}; ring.ring = ring; return ring; })()', '{"ring":"[Circular]"}'],
    ['a getter', '({ get a() { return 1; } })', '{"a":1}'],
    ['a proxy', 'new Proxy({ a: 1 }, {})', '{"a":1}'],
    ['a toJSON', '({ a: 1, toJSON: () => 2 })', '{"a":1}'],
    ['a toJSON of a class', 'new (class { toJSON() { return 2; } })()', '2'],
    ['many levels', '(() => { let deep = 1; for (let i = 0; i < 250; i += 1) deep = [deep]; return deep; })()'],
  ])('becomes text that our process would write: %s', async (_, source, expected?: string) => {
    const { answer } = await outcomeOf(`return { response: ${source} }`);
    if (expected !== undefined) expect(answer?.json).toBe(expected);
    expect(JSON.stringify(answer?.data)).toBe(answer?.json);
    expect('polluted' in {}).toBe(false);
  });

  test.each([
    ['an element', 'return { response: [JSON.rawJSON("1.0")] }', [1]],
    ['a toJSON', 'return { response: Object.assign([], { toJSON: () => JSON.rawJSON("1e0") }) }', 1],
    [
      'the second reading of a getter',
      `let reads = 0;
      return { response: { get a() { return (reads += 1) % 2 === 1 ? 'A' : JSON.rawJSON('"\\u0041"'); } } };`,
      { a: 'A' },
    ],
  ])('is not told apart where a handler may have spelled it, with JSON.rawJSON in %s', async (_, body, response) => {
    // It counts for all that its host does later.
    onTestFinished(closeHandlerPool);
    expect(await outcomeOf(body)).toEqual({ value: { response }, changes: {} });
  });

  test.each([
    ['JSON.stringify', `JSON.stringify = () => '[0]'`],
    ['JSON.rawJSON', `JSON.rawJSON = undefined`],
    ['Object.prototype.toJSON', 'Object.prototype.toJSON = () => 0'],
    ['Array.prototype.toJSON', 'Array.prototype.toJSON = () => 0'],
    ['String.prototype.toJSON', 'String.prototype.toJSON = () => 0'],
    ['Object.hasOwn', 'Object.hasOwn = () => false'],
    ['Array.prototype.reduce', 'Array.prototype.reduce = () => 0'],
  ])('is not written by what a handler puts in place of %s', async (_, attempt) => {
    const body = `try { ${attempt}; } catch {} return { response: { a: ['x', 1] } }`;
    expect((await outcomeOf(body)).answer).toEqual({ data: { a: ['x', 1] }, json: '{"a":["x",1]}' });
  });

  test('counts together with the rest of the result', async () => {
    const most = 10 * 1024 * 1024;
    // `{"value":{"response":"…"},"changes":{}}`
    const frame = JSON.stringify({ value: { response: '' }, changes: {} }).length;
    const { answer } = await outcomeOf(`return { response: 'x'.repeat(${most - frame}) }`);
    expect(answer?.json).toHaveLength(most - frame + 2);
    await expect(outcomeOf(`return { response: 'x'.repeat(${most - frame + 1}) }`)).rejects.toMatchObject({
      code: 'HANDLER_RESULT_TOO_LARGE',
    });
  });

  test('has the same limits as any result', async () => {
    const deep = 'let deep = 1; for (let i = 0; i < 10_000; i += 1) deep = [deep];';
    const invalid = { code: 'HANDLER_RESULT_INVALID' };
    await expect(outcomeOf(`${deep} return { response: deep }`)).rejects.toMatchObject(invalid);
    await expect(outcomeOf('return { response: { get a() { throw 1; } } }')).rejects.toMatchObject(invalid);
    const many = 'return { response: Array(2_000_001).fill(0) }';
    await expect(outcomeOf(many)).rejects.toMatchObject({ code: 'HANDLER_RESULT_TOO_LARGE' });
  });
});
