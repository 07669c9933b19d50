import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HostTask } from '../host-message.ts';
import { readTask, writeTask } from './task-text.ts';

const taskOf = (visible: unknown): HostTask => ({
  kind: 'call',
  name: 'tool',
  hook: 'executeRequest',
  context: { visible: visible as Record<string, unknown>, hidden: [] },
});

describe('the text of a task', () => {
  test('is read as what was written', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', 'text', '\u0000\u0000'));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constant(undefined),
        fc.constant(null),
        fc.string(),
        fc.boolean(),
        fc.double(),
        fc.bigInt(),
        fc.date({ noInvalidDate: false }),
        fc.uint8Array(),
        fc.array(tie('any')),
        fc.array(fc.tuple(key, tie('any'))).map((entries) => Object.fromEntries(entries)),
      ),
    })).any;
    fc.assert(
      fc.property(value, (visible) => {
        expect(readTask(writeTask(taskOf(visible)))).toEqual(structuredClone(taskOf(visible)));
      }),
    );
  });

  test('takes nothing that is no data', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const visible of [
      { f: () => 1 },
      { s: Symbol('s') },
      { map: new Map() },
      { own: new (class Own {})() },
      circle,
    ]) {
      expect(() => writeTask(taskOf(visible))).toThrow(TypeError);
    }
  });

  test('has no key that could be taken for its own mark', () => {
    expect(() => writeTask(taskOf({ '\0': 'bigint', text: '1' }))).toThrow(TypeError);
  });

  test('is put together with the answer that goes beside it', () => {
    expect(readTask(writeTask(taskOf({})), '{"a":1}')).toMatchObject({ context: { answerText: '{"a":1}' } });
  });
});
