import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../settings/read-json.ts';
import { anything, type RecordedBody, type RecordedRequest } from './recording.ts';

/** Says in which ways a request is not the recorded one; nothing where it is. */
export function requestDifferences(asked: RecordedRequest, recorded: RecordedRequest): string[] {
  const [address = '', query] = asked.url.split(/\?(.*)/s);
  const [recordedAddress = '', recordedQuery] = recorded.url.split(/\?(.*)/s);
  const parts = recordedAddress.split('/');
  // Parts of the path that may be anything are taken from the request.
  const expected = address.split('/').map((part, index) => (parts[index] === anything ? anything : part));
  return [
    ...difference('method', asked.method, recorded.method),
    ...(expected.join('/') === recordedAddress ? [] : difference('address', address, recordedAddress)),
    ...fieldDifferences('query', new URLSearchParams(query), new URLSearchParams(recordedQuery)),
    ...fieldDifferences('header', new URLSearchParams(asked.headers), new URLSearchParams(recorded.headers)),
    ...jsonDifferences('body', bodyValue(asked.body), bodyValue(recorded.body)),
  ];
}

function difference(place: string, asked: unknown, recorded: unknown): string[] {
  if (recorded === anything || isDeepStrictEqual(asked, recorded)) return [];
  return [`${place}: ${shown(asked)} is asked, ${shown(recorded)} is recorded`];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** A name may come more than once: then its values count in their order. */
function fieldDifferences(kind: string, asked: URLSearchParams, recorded: URLSearchParams): string[] {
  return [...new Set([...asked.keys(), ...recorded.keys()])].flatMap((name) => {
    const [left, right] = [asked.getAll(name), recorded.getAll(name)];
    if (left.length === 1 && right.length === 1) return difference(`${kind} ${name}`, left[0], right[0]);
    return difference(`${kind} ${name}`, left.length > 0 ? left : undefined, right.length > 0 ? right : undefined);
  });
}

function bodyValue(body: RecordedBody | undefined): unknown {
  if (body === undefined || 'json' in body) return body?.json;
  return 'text' in body ? body.text.join('\n') : body.base64.join('');
}

function jsonDifferences(place: string, asked: unknown, recorded: unknown): string[] {
  const areLists = Array.isArray(asked) && Array.isArray(recorded);
  if (!areLists && !(isRecord(asked) && isRecord(recorded))) return difference(place, asked, recorded);
  const [left, right] = [new Map(Object.entries(asked)), new Map(Object.entries(recorded))];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
    jsonDifferences(areLists ? `${place}[${key}]` : `${place}.${key}`, left.get(key), right.get(key)),
  );
}
