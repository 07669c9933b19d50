import { describe, expect, it } from 'vitest';
import { withDefaults } from './http-options.ts';

describe('the idle time', () => {
  it('is at least the time that the exchange was given', () => {
    expect(withDefaults({ timeoutMs: 60_000 })).toMatchObject({ timeoutMs: 60_000, idleTimeoutMs: 60_000 });
  });

  it('is as usual where the exchange was given less time, or none', () => {
    expect(withDefaults({ timeoutMs: 300 })).toMatchObject({ timeoutMs: 300, idleTimeoutMs: 15_000 });
    expect(withDefaults({})).toMatchObject({ timeoutMs: 30_000, idleTimeoutMs: 15_000 });
  });

  it('is what it was set to', () => {
    expect(withDefaults({ timeoutMs: 60_000, idleTimeoutMs: 500 }).idleTimeoutMs).toBe(500);
  });
});
