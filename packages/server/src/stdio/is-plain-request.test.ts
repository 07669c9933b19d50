import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainRequest } from './is-plain-request.ts';

const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: { _meta: 1 } } };

test.each<[string, unknown, boolean]>([
  ['a call', request, true],
  ['a request without params', { jsonrpc: '2.0', id: 'a', method: 'ping' }, true],
  ['a request with _meta', { ...request, params: { _meta: { progressToken: 1 } } }, false],
  ['a request with __proto__', JSON.parse('{"jsonrpc":"2.0","id":1,"method":"a","params":{"__proto__":{}}}'), false],
  ['a notice', { jsonrpc: '2.0', method: 'notifications/initialized' }, false],
  ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, false],
  ['a batch', [request], false],
  ['nothing', null, false],
])('%s: %j', (_, value, isPlain) => {
  expect(isPlainRequest(value)).toBe(isPlain);
});

test('what is a plain request is one for the SDK, which takes it as it is', () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const member = <Value>(usual: fc.Arbitrary<Value>) => fc.oneof({ weight: 4, arbitrary: usual }, json);
  const usual = fc.record(
    {
      jsonrpc: member(fc.constant('2.0')),
      id: member(fc.oneof(fc.integer(), fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
      method: member(fc.string()),
      params: member(fc.dictionary(fc.oneof(fc.constantFrom('_meta', 'name'), fc.string()), json)),
    },
    { requiredKeys: ['jsonrpc', 'id', 'method'] },
  );
  const withMore = fc.tuple(usual, fc.dictionary(fc.constantFrom('result', 'error', 'x'), json, { maxKeys: 1 }));
  let plain = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        usual,
        withMore.map(([message, more]) => ({ ...message, ...more })),
        json,
      ),
      (value) => {
        if (!isPlainRequest(value)) return;
        plain += 1;
        expect(parseJSONRPCMessage(value)).toEqual(value);
      },
    ),
    { numRuns: 500 },
  );
  expect(plain).toBeGreaterThan(0);
});
