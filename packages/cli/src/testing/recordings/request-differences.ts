import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../settings/parse-json.ts';
import { anything, type RecordedBody, type RecordedRequest } from './recording.ts';

export function requestDifferences(asked: RecordedRequest, recorded: RecordedRequest): string[] {
  const [address = '', query] = asked.url.split(/\?(.*)/s);
  const [recordedAddress = '', recordedQuery] = recorded.url.split(/\?(.*)/s);
  const parts = recordedAddress.split('/');
  // Segments that match anything.
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
  return [`${place}: requested ${shown(asked)}, recorded ${shown(recorded)}`];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Repeated names are compared with the order of their values. */
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
