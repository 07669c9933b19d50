import type { JSONRPCRequest } from '@modelcontextprotocol/server';

/**
 * Whether a value of JSON is certainly a request that `parseJSONRPCMessage` takes: one without `_meta`, as most are, and without
 * `__proto__`, which would be left out. The SDK looks at each message again when it takes it, so these need not be read as a whole before.
 */
export function isPlainRequest(value: unknown): value is JSONRPCRequest {
  const { jsonrpc, id, method, params = {} } = Object(value) as Record<string, unknown>;
  return (
    jsonrpc === '2.0' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    typeof method === 'string' &&
    typeof params === 'object' &&
    params !== null &&
    !Array.isArray(params) &&
    !Object.hasOwn(params, '_meta') &&
    !Object.hasOwn(params, '__proto__') &&
    Object.keys(value as object).every((key) => members.has(key))
  );
}

const members = new Set(['jsonrpc', 'id', 'method', 'params']);
