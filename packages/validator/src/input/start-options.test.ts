import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { start } from '../start.ts';

const codesOf = async (options: unknown): Promise<string[]> =>
  (await start(options as never)).findings.map(({ code, location }) => `${code} ${location}`);

describe('bad input', () => {
  it.each([
    [undefined, ['VAL-001 start.endpoint']],
    [{ endpoint: null }, ['VAL-002 start.endpoint']],
    [{ endpoint: 5, timeout: 'x' }, ['VAL-002 start.endpoint', 'VAL-005 start.timeout']],
    [{ endpoint: 'example.com/mcp' }, ['VAL-004 start.endpoint']],
    [{ endpoint: 'https://user:secret@example.com/' }, ['VAL-004 start.endpoint']],
    [{ endpoint: 'http://127.0.0.1:1/', timeout: Number.POSITIVE_INFINITY }, ['VAL-005 start.timeout']],
    [{ endpoint: 'http://127.0.0.1:1/', timeout: -1 }, ['VAL-006 start.timeout']],
    [{ endpoint: 'http://127.0.0.1:1/', probe: 'some' }, ['VAL-005 start.probe']],
    [{ endpoint: 'http://127.0.0.1:1/', headers: { 'bad name': 'x' } }, ['VAL-005 start.headers']],
    [{ endpoint: 'http://127.0.0.1:1/', privateOrigins: ['localhost'] }, ['VAL-005 start.privateOrigins']],
    [{ endpoint: 'http://127.0.0.1:1/', probeLimits: { maxCalls: 0 } }, ['VAL-006 start.probeLimits.maxCalls']],
    [{ stdio: { command: '' } }, ['VAL-003 start.stdio.command']],
    [{ stdio: { command: 'x', args: 'y' } }, ['VAL-005 start.stdio']],
  ])('%j is told', async (options, expected) => {
    expect(await codesOf(options)).toEqual(expected);
  });

  it('of any kind gives a result of the usual shape, without an exception', async () => {
    const { categories, entries } = await start({} as never);
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (options) => {
        const result = await start(options as never);
        fc.pre(result.messages.every((message) => message.startsWith('VAL-')));
        expect(result.status).toBe(false);
        expect(result.categories).toEqual(categories);
        expect(Object.keys(result.entries)).toEqual(Object.keys(entries));
      }),
    );
  });
});

it('a message is its finding as text', async () => {
  const { messages } = await start({} as never);
  expect(messages).toEqual(['VAL-001 start.endpoint: Missing']);
});
