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
  const [left, right] = [textOf(asked), textOf(recorded)];
  const start = startOf(left, right);
  return [`${place}: requested ${cut(left, start)}, recorded ${cut(right, start)}`];
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

const longest = 120;

/** Where to begin, so that two long texts show what differs. */
function startOf(left: string, right: string): number {
  if (Math.max(left.length, right.length) <= longest) return 0;
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return same > longest / 2 ? same - 30 : 0;
}

function cut(text: string, start: number): string {
  const end = start + longest;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
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
