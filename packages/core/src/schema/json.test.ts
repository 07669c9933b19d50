import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findNotPlain } from './json.ts';

const circle: Record<string, unknown> = { type: 'object' };
circle.inner = [circle];

/** A list in lists, as deep as asked. */
function nested(depth: number): unknown {
  return depth === 0 ? 'inside' : [nested(depth - 1)];
}

describe('plain data', () => {
  test('is any JSON value', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        (value) => findNotPlain(JSON.parse(JSON.stringify(value))) === undefined,
      ),
    );
  });

  test('may have holes, fields without a value, and shared parts', () => {
    const part = { a: [1] };
    expect(findNotPlain([part, part, undefined, new Array(3)])).toBeUndefined();
    expect(findNotPlain(JSON.parse('{"__proto__":{"constructor":1}}'))).toBeUndefined();
    expect(findNotPlain(Object.assign(Object.create(null), { a: 1 }))).toBeUndefined();
    expect(findNotPlain(runInNewContext('({ a: [{}] })'))).toBeUndefined();
  });

  test.each([
    ['a function', { tools: { a: () => 1 } }, 'a function', ['tools', 'a']],
    ['a BigInt', [1n], 'a bigint', [0]],
    ['a symbol', { a: Symbol('x') }, 'a symbol', ['a']],
    ['a date', { since: new Date(0) }, 'an instance of Date', ['since']],
    ['a map', [[new Map()]], 'an instance of Map', [0, 0]],
    [
      'an array with names',
      { tags: Object.assign(['a'], { constructor: 1 }) },
      'an array with non-numeric keys',
      ['tags'],
    ],
    ['a circle', { main: circle }, 'a circular reference', ['main', 'inner', 0]],
    ['half a surrogate pair', { a: '\ud800' }, 'a lone surrogate', ['a']],
    ['half a surrogate pair as a key', { '\ud800': 1 }, 'a lone surrogate in a key', ['\ud800']],
  ])('has no %s', (_name, value, what, keys) => expect(findNotPlain(value)).toEqual({ what, keys }));

  test('can be read', () => {
    const thrower = {
      get a() {
        throw new Error('no');
      },
    };
    expect(findNotPlain({ b: thrower })).toEqual({ what: 'something that cannot be read: no', keys: ['b', 'a'] });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(findNotPlain([proxy])?.what).toMatch(/^something that cannot be read: /);
  });

  test('is not too deep', () => {
    expect(findNotPlain(nested(150))).toBeUndefined();
    expect(findNotPlain(nested(152))?.what).toBe('more than 150 levels');
    expect(findNotPlain(nested(1000))?.what).toBe('more than 150 levels');
  });

  test('is not huge as text, which is detected quickly', () => {
    let part: unknown = 'leaf';
    for (let level = 0; level < 60; level += 1) part = { a: part, b: part };
    expect(findNotPlain(part)?.what).toBe('more than 400000 parts');
  });
});
