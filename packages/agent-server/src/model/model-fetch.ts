import { isObject } from '@schemakit/core/internal';
import { createHttpClient } from '@schemakit/http';

/** Models may take minutes for one answer; runs have their own deadline. */
const timeoutMs = 10 * 60_000;
const maxBytes = 32 * 1024 * 1024;

/** One pool of connections for all agents. */
const client = createHttpClient({ timeoutMs, maxBytes, retries: 0 });

/**
 * The `fetch` of requests to a model. They go the way of all requests, `@schemakit/http`: redirects never carry the key elsewhere, and
 * a test can record and replay them together with those to APIs.
 *
 * @param baseURL Its address is approved, also if it is private.
 */
export function modelFetch(baseURL: string): typeof fetch {
  const policy = { privateOrigins: [new URL(baseURL).origin] };
  return async (input, init = {}) => {
    const { url, method, headers } = new Request(input, init);
    const { body, signal } = init;
    // It names the version of Node, which a recording must not depend on.
    headers.delete('user-agent');
    const sent = { url, method, headers: Object.fromEntries(headers), ...(typeof body === 'string' && { body }) };
    const settings = { policy, secretHeaders: ['x-api-key'], ...(signal && { signal }) };
    const { status, statusText, headers: answered, body: bytes } = await client.request(sent, settings);
    return new Response(withoutPrototypes(Buffer.from(bytes).toString()), { status, statusText, headers: answered });
  };
}

/**
 * Leaves out what could change a prototype: the AI SDK refuses a whole answer that has it in the arguments of a call, and so would be
 * asked again.
 */
function withoutPrototypes(text: string): string {
  if (!/__proto__|prototype/.test(text)) return text;
  try {
    const answer: unknown = JSON.parse(text, (key, value: unknown) =>
      key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))
        ? undefined
        : value,
    );
    return JSON.stringify(answer);
  } catch {
    return text;
  }
}
