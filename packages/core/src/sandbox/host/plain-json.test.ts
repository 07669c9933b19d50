import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HostFailure } from './host-failure.ts';
import { toPlainJson } from './plain-json.ts';

const plain = (value: unknown): unknown => JSON.parse(toPlainJson(value));

describe('toPlainJson', () => {
  test('writes JSON data as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toPlainJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  test('gives text that can be parsed for any value', () => {
    const any = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true });
    fc.assert(
      fc.property(any, (value) => {
        const json = toPlainJson(value);
        if (json !== '') JSON.parse(json);
      }),
    );
  });

  test('writes undefined as an empty text', () => {
    expect(toPlainJson(undefined)).toBe('');
    expect(toPlainJson(() => 1)).toBe('');
  });

  test.each([
    ['bigint', { wei: 10n ** 30n }, { wei: '1000000000000000000000000000000' }],
    ['Date', { at: new Date(0), never: new Date(Number.NaN) }, { at: '1970-01-01T00:00:00.000Z', never: null }],
    ['Map with text keys', new Map([['a', new Map([['b', 1n]])]]), { a: { b: '1' } }],
    ['Map with other keys', new Map([[1, 'x']]), [[1, 'x']]],
    ['Set', new Set(['a', 2n]), ['a', '2']],
    ['Buffer', { bytes: Buffer.from('hi') }, { bytes: 'aGk=' }],
    ['Uint8Array that views a part', new Uint8Array([1, 2, 3, 4]).subarray(1, 3), 'AgM='],
    ['ArrayBuffer', new Uint8Array([104, 105]).buffer, 'aGk='],
    ['numbers in a typed array', new Float64Array([1.5, 2]), [1.5, 2]],
    ['bigints in a typed array', new BigInt64Array([1n]), ['1']],
    ['boxed values', [Object(1), Object('a'), Object(1n), Object(true)], [1, 'a', '1', true]],
    ['functions and symbols', { f: () => 1, s: Symbol('s'), list: [() => 1, Symbol('s')] }, { list: [null, null] }],
    ['NaN and Infinity', [Number.NaN, Number.POSITIVE_INFINITY, 1n], [null, null, '1']],
    ['Error', { error: new TypeError('bad') }, { error: { name: 'TypeError', message: 'bad' } }],
    ['RegExp', { pattern: /a+/g }, { pattern: '/a+/g' }],
    [
      'class instance',
      new (class {
        shown = 1n;
        #hidden = 2;
        peek() {
          return this.#hidden;
        }
      })(),
      { shown: '1' },
    ],
    ['class instance with toJSON', { url: new URL('https://a.example/x') }, { url: 'https://a.example/x' }],
    ['toJSON of a plain object', { value: 1, toJSON: () => 'other' }, { value: 1 }],
    ['holes', Object.assign([1n], { 2: 3 }), ['1', null, 3]],
    ['null prototype', Object.assign(Object.create(null), { a: 1n }), { a: '1' }],
    ['symbol keys', { [Symbol('s')]: 1, a: 1 }, { a: 1 }],
  ])('%s', (_, value, expected) => {
    expect(plain(value)).toEqual(expected);
  });

  test('accepts a result just below the limit', () => {
    const text = 'x'.repeat(9 * 1024 * 1024);
    expect(plain([text, 1n])).toEqual([text, '1']);
  });

  test('marks circular references', () => {
    const ring: Record<string, unknown> = { name: 'ring', list: [] };
    ring.self = ring;
    (ring.list as unknown[]).push(ring);
    expect(plain(ring)).toEqual({ name: 'ring', self: '[Circular]', list: ['[Circular]'] });
  });

  test('writes repeated references twice', () => {
    const shared = { a: 1n };
    expect(plain([shared, shared])).toEqual([{ a: '1' }, { a: '1' }]);
  });

  test('keeps a key named __proto__ as data', () => {
    expect(toPlainJson({ ...JSON.parse('{"__proto__":{"x":1}}'), big: 1n })).toBe('{"__proto__":{"x":1},"big":"1"}');
  });

  test.each([
    ['a long text', () => 'x'.repeat(11 * 1024 * 1024)],
    ['many long texts', () => Array(12).fill('x'.repeat(1024 * 1024))],
    [
      'a value that doubles at each level',
      () => {
        let value: unknown = 'x';
        for (let i = 0; i < 40; i++) value = [value, value];
        return value;
      },
    ],
    ['text that grows when escaped', () => '\u0001'.repeat(3 * 1024 * 1024)],
    ['an array with a huge length', () => Object.assign([1n], { length: 4_000_000_000 })],
    ['a proxy that claims to be a huge array', () => new Proxy([], hugeArray)],
  ])('refuses %s', (_, make) => {
    expect(failureOf(make())).toBe('HANDLER_RESULT_TOO_LARGE');
  });

  test.each([
    [
      'a getter that throws',
      {
        get x(): number {
          throw new Error('no');
        },
      },
    ],
    ['a revoked proxy', revoked()],
    [
      'a toJSON that throws',
      new (class {
        toJSON() {
          throw new Error('no');
        }
      })(),
    ],
    ['endless nesting', endless()],
  ])('refuses %s', (_, value) => {
    expect(failureOf(value)).toBe('HANDLER_RESULT_INVALID');
  });
});

function failureOf(value: unknown): string | undefined {
  try {
    toPlainJson(value);
    return undefined;
  } catch (thrown) {
    return HostFailure.read(thrown)?.code;
  }
}

const hugeArray: ProxyHandler<unknown[]> = {
  get: (target, key) =>
    typeof key === 'symbol' ? Reflect.get(target, key) : key === 'length' ? 4e9 : 'x'.repeat(1000),
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function endless(): object {
  return new Proxy(
    {},
    {
      get: () => endless(),
      ownKeys: () => ['deeper'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
    },
  );
}
