import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber, scrubJson } from './scrubber.ts';

const scrub = createScrubber(['s3cr3t-key', '123456789'], '#');

describe('scrubJson', () => {
  it('scrubs strings, keys and numbers at any depth', () => {
    const value = { a: ['s3cr3t-key', { 's3cr3t-key': null, c: 'x s3cr3t-key' }], n: 123456789, m: 12345678, t: true };
    expect(scrubJson(value, scrub)).toEqual({ a: ['#', { '#': null, c: 'x #' }], n: '#', m: 12345678, t: true });
  });

  it('returns the value itself when nothing is secret', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(scrubJson(value, scrub)).toBe(value);
      }),
    );
  });

  it('changes only the secrets', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(scrubJson({ value, extra: 's3cr3t-key' }, scrub))).toBe(
          JSON.stringify({ value, extra: '#' }),
        );
      }),
    );
  });

  it('does not change its argument', () => {
    const value = { a: ['s3cr3t-key'] };
    scrubJson(value, scrub);
    expect(value).toEqual({ a: ['s3cr3t-key'] });
  });

  it('keeps `__proto__` an ordinary key', () => {
    const copy = scrubJson(JSON.parse('{"__proto__":{"x":"s3cr3t-key"}}'), scrub);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":"#"}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('accepts values nested deeper than the call stack', () => {
    const depth = 100_000;
    let value = scrubJson(JSON.parse(`${'['.repeat(depth)}"s3cr3t-key"${']'.repeat(depth)}`), scrub);
    for (let i = 0; i < depth; i++) value = Array.isArray(value) ? value[0] : undefined;
    expect(value).toBe('#');
  });
});
