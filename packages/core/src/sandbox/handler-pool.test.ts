import { describe, expect, test } from 'vitest';
import { settingsFromEnvironment } from './handler-pool.ts';

describe('settingsFromEnvironment', () => {
  test('has only what is set', () => {
    expect(settingsFromEnvironment({})).toEqual({});
    const environment = {
      SCHEMAKIT_HANDLER_HOSTS: '3',
      SCHEMAKIT_HANDLER_MEMORY_MB: '512',
      SCHEMAKIT_HANDLER_IDLE_MS: '5000',
    };
    expect(settingsFromEnvironment(environment)).toEqual({ size: 3, memoryMb: 512, idleMs: 5000 });
  });

  test.each(['', '0', '-1', '1.5', 'many', '1e999'])('ignores %j', (value) => {
    expect(settingsFromEnvironment({ SCHEMAKIT_HANDLER_HOSTS: value, SCHEMAKIT_HANDLER_IDLE_MS: value })).toEqual({});
  });

  test('gives a host at least the memory that it needs to start', () => {
    expect(settingsFromEnvironment({ SCHEMAKIT_HANDLER_MEMORY_MB: '1' })).toEqual({ memoryMb: 64 });
  });
});
