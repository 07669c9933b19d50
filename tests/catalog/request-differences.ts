import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { RecordedRequest } from './recorded-answer.ts';

/** A request as it arrived. */
export interface ArrivedRequest {
  method: string;
  path: string;
  /** Decoded, in their order, a key as often as it came. */
  query: [string, string][];
  headers: IncomingHttpHeaders;
  body: string;
}

// These carry the message; they say nothing about what is asked.
const carrying = new Set(['host', 'connection', 'accept-encoding', 'content-length', 'transfer-encoding']);

/** Says in which ways a request is not the recorded one; an empty list when it is. */
export function requestDifferences(arrived: ArrivedRequest, recorded: RecordedRequest): string[] {
  const headers = Object.fromEntries(Object.entries(arrived.headers).filter(([name]) => !carrying.has(name)));
  return [
    difference('method', arrived.method, recorded.method),
    difference('path', arrived.path, recorded.path),
    difference('query', sorted(arrived.query), sorted(Object.entries(recorded.query))),
    difference('headers', headers, expectedHeaders(recorded)),
    difference('body', readBody(arrived.body), recorded.body),
  ].flat();
}

/** What is sent unless a schema says otherwise, and what the recording asks for. */
function expectedHeaders({ headers, body }: RecordedRequest): Record<string, string> {
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  return { accept: '*/*', 'user-agent': 'schemakit', ...content, ...headers };
}

function readBody(body: string): unknown {
  return body === '' ? undefined : JSON.parse(body);
}

function sorted(query: readonly [string, string][]): [string, string][] {
  return query.toSorted(([left], [right]) => (left < right ? -1 : Number(left > right)));
}

function difference(part: string, arrived: unknown, recorded: unknown): string[] {
  if (isDeepStrictEqual(arrived, recorded)) return [];
  return [`${part}: ${JSON.stringify(arrived)} arrived, ${JSON.stringify(recorded)} is documented`];
}
