import { describe, expect, it } from 'vitest';
import { settle } from './http-options.ts';

describe('the idle time', () => {
  it('is at least the time that the exchange was given', () => {
    expect(settle({ timeoutMs: 60_000 })).toMatchObject({ timeoutMs: 60_000, idleTimeoutMs: 60_000 });
  });

  it('is as usual where the exchange was given less time, or none', () => {
    expect(settle({ timeoutMs: 300 })).toMatchObject({ timeoutMs: 300, idleTimeoutMs: 15_000 });
    expect(settle({})).toMatchObject({ timeoutMs: 30_000, idleTimeoutMs: 15_000 });
  });

  it('is what it was set to', () => {
    expect(settle({ timeoutMs: 60_000, idleTimeoutMs: 500 }).idleTimeoutMs).toBe(500);
  });
});
