import { describe, expect, it } from 'vitest';
import { withDefaults } from './http-options.ts';

describe('the idle timeout', () => {
  it('is at least the timeout of the exchange', () => {
    expect(withDefaults({ timeoutMs: 60_000 })).toMatchObject({ timeoutMs: 60_000, idleTimeoutMs: 60_000 });
  });

  it('is the default if the exchange has a shorter timeout, or none', () => {
    expect(withDefaults({ timeoutMs: 300 })).toMatchObject({ timeoutMs: 300, idleTimeoutMs: 15_000 });
    expect(withDefaults({})).toMatchObject({ timeoutMs: 30_000, idleTimeoutMs: 15_000 });
  });

  it('is the given value', () => {
    expect(withDefaults({ timeoutMs: 60_000, idleTimeoutMs: 500 }).idleTimeoutMs).toBe(500);
  });
});
