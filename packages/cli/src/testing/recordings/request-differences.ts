import { isDeepStrictEqual } from 'node:util';
import { anything, type RecordedBody, type RecordedRequest } from './recording.ts';

/** Says in which ways a request is not the recorded one; nothing where it is. */
export function requestDifferences(asked: RecordedRequest, recorded: RecordedRequest): string[] {
  const [address, query] = splitUrl(asked.url);
  const [recordedAddress, recordedQuery] = splitUrl(recorded.url);
  return [
    ...difference('method', asked.method, recorded.method),
    ...addressDifference(address, recordedAddress),
    ...fieldDifferences('query', query, recordedQuery),
    ...fieldDifferences('header', Object.entries(asked.headers), Object.entries(recorded.headers)),
    ...bodyDifferences(asked.body, recorded.body),
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

function addressDifference(asked: string, recorded: string): string[] {
  const parts = asked.split('/');
  const wanted = recorded.split('/');
  const isSame = parts.length === wanted.length && wanted.every((part, i) => part === anything || part === parts[i]);
  return isSame ? [] : difference('address', asked, recorded);
}

type Fields = readonly (readonly [string, string])[];

/** A name may come more than once: then its values count in their order. */
function fieldDifferences(kind: string, asked: Fields, recorded: Fields): string[] {
  const names = new Set([...asked, ...recorded].map(([name]) => name));
  return [...names].flatMap((name) => {
    const [left, right] = [asked, recorded].map((fields) =>
      fields.filter(([other]) => other === name).map(([, value]) => value),
    ) as [string[], string[]];
    if (left.length !== 1 || right.length !== 1) {
      return difference(`${kind} ${name}`, left.length > 0 ? left : undefined, right.length > 0 ? right : undefined);
    }
    return difference(`${kind} ${name}`, left[0], right[0]);
  });
}

function splitUrl(url: string): [string, [string, string][]] {
  const at = url.indexOf('?');
  if (at === -1) return [url, []];
  return [url.slice(0, at), [...new URLSearchParams(url.slice(at + 1))]];
}

function bodyDifferences(asked: RecordedBody | undefined, recorded: RecordedBody | undefined): string[] {
  if (asked && recorded && 'json' in asked && 'json' in recorded)
    return jsonDifferences('body', asked.json, recorded.json);
  return difference('body', textOf(asked), textOf(recorded));
}

function textOf(body: RecordedBody | undefined): unknown {
  if (body === undefined || 'json' in body) return body?.json;
  return 'text' in body ? body.text.join('\n') : body.base64.join('');
}

function jsonDifferences(place: string, asked: unknown, recorded: unknown): string[] {
  if (!isHolder(asked) || !isHolder(recorded) || Array.isArray(asked) !== Array.isArray(recorded)) {
    return difference(place, asked, recorded);
  }
  const keys = new Set([...Object.keys(asked), ...Object.keys(recorded)]);
  return [...keys].flatMap((key) => {
    const inner = Array.isArray(asked) ? `${place}[${key}]` : `${place}.${key}`;
    return jsonDifferences(inner, ownValue(asked, key), ownValue(recorded, key));
  });
}

function isHolder(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === 'object' && value !== null;
}

function ownValue(holder: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}
