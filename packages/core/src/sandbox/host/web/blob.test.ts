import { expect, test } from 'vitest';
import { bytesOf } from './blob.ts';

test('bytes are copied in one piece, not one by one', () => {
  class Counted extends Uint8Array<ArrayBuffer> {
    override [Symbol.iterator](): ArrayIterator<number> {
      throw new Error('asked byte by byte');
    }
  }
  const whole = Counted.from({ length: 3, 0: 7, 1: 8, 2: 9 });
  const copy = bytesOf(whole.subarray(1));
  expect([...copy]).toEqual([8, 9]);
  expect(copy.buffer).not.toBe(whole.buffer);
});
