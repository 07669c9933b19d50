import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Finding, Severity } from '@schemakit/core';
import { scrubJson } from '@schemakit/http';
import { isRecord, parseJson, type TextPosition } from '../../settings/parse-json.ts';
import { shownFile, type TestCase } from '../test-case.ts';

/** A body: JSON, else lines of text, else lines of base64. Lines make readable diffs. */
export type RecordedBody = { json: unknown } | { text: string[] } | { base64: string[] };

export interface RecordedRequest {
  method: string;
  url: string;
  /** Headers of the schema and its handlers, by lower-case name. */
  headers: Record<string, string>;
  body?: RecordedBody;
}

/** The response, or the error if there was none: its code, its message, and its hint if that is not the usual one. */
export type RecordedAnswer =
  | { status: number; statusText?: string; headers: Record<string, string>; body: RecordedBody }
  | { failure: string; message?: string; hint?: string };

export interface RecordedExchange {
  request: RecordedRequest;
  answer: RecordedAnswer;
}

/** What else is in the file tells what was recorded. */
export interface Recording {
  version: 1;
  exchanges: RecordedExchange[];
}

export const mask = '[REDACTED]';

/** Authors put this in recordings for parts that vary, such as a signature. */
export const anything = '{{ANY}}';

/** The file of a test below a folder of recordings: `<namespace>/<schema>/<tool>-<number>.json`. */
export function recordingPath(folder: string, { namespace, schema, routeName, number }: TestCase): string {
  const stem = basename(schema.file).replace(/\.[^.]+$/, '');
  return join(folder, fileName(namespace), fileName(stem), `${fileName(routeName)}-${number}.json`);
}

/** Names of tools may contain any character; a path must stay in the folder. */
function fileName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return name === '' ? '_' : name;
}

export type RecordingResult =
  | { status: 'read'; exchanges: readonly RecordedExchange[]; about: Readonly<Record<string, unknown>> }
  | { status: 'missing' }
  | { status: 'broken'; problem: string };

export async function readRecording(path: string): Promise<RecordingResult> {
  const broken = (problem: string, place?: TextPosition): RecordingResult => {
    const where = place === undefined ? '' : `:${place.line}:${place.column}:`;
    return { status: 'broken', problem: `${shownFile(path)}${where} ${problem}` };
  };
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { status: 'missing' } : broken(`cannot read it: ${message}`);
  }
  const read = parseJson(text);
  if (!read.ok) return broken(`the recording is not valid JSON: ${read.problem}`, read.position);
  const { value, positionOf } = read;
  const exchanges: unknown[] = isRecord(value) && Array.isArray(value.exchanges) ? value.exchanges : [undefined];
  if (isRecord(value) && value.version === 1 && exchanges.every(isExchange))
    return { status: 'read', exchanges, about: value };
  const wrong = exchanges.findIndex((exchange) => !isExchange(exchange));
  return broken('this is not a valid recording', positionOf('exchanges', Math.max(wrong, 0)));
}

function isExchange(value: unknown): value is RecordedExchange {
  if (!isRecord(value) || !isRecord(value.request) || !isRecord(value.answer)) return false;
  const { request, answer } = value;
  if (typeof request.method !== 'string' || typeof request.url !== 'string' || !isTexts(request.headers)) return false;
  if (request.body !== undefined && !isBody(request.body)) return false;
  if (typeof answer.failure === 'string')
    return [answer.message, answer.hint].every((text) => text === undefined || typeof text === 'string');
  const { status } = answer;
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
  if (answer.statusText !== undefined && typeof answer.statusText !== 'string') return false;
  return isStatus && isTexts(answer.headers) && isBody(answer.body);
}

function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isBody(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (Object.hasOwn(value, 'json')) return true;
  const lines = value.text ?? value.base64;
  return Array.isArray(lines) && lines.every((line) => typeof line === 'string');
}

export type RecordingCode = `REC00${1 | 2 | 3}`;

/** Rules for recordings by code: the severity of a violation, and the rule. */
export const recordingCodes: Readonly<Record<RecordingCode, readonly [Severity, string]>> = {
  REC001: ['error', 'A replayed test makes exactly the recorded requests.'],
  REC002: ['error', 'A recording can be read and is complete.'],
  REC003: ['error', 'A recording can be written and contains no secret.'],
};

export function recordingFinding(code: RecordingCode, message: string, hint: string, file?: string): Finding {
  const [severity] = recordingCodes[code];
  return { code, severity, path: '', message, hint, ...(file !== undefined && { file }) };
}

type Scrub = (text: string) => string;

/** Masks a body for a recording. */
export function recordBody(bytes: Uint8Array, contentType: string, scrub: Scrub): RecordedBody {
  const text = textOf(bytes, contentType);
  if (text === undefined) {
    // latin1 maps bytes to characters one to one.
    const masked = Buffer.from(scrub(Buffer.from(bytes).toString('latin1')), 'latin1').toString('base64');
    return { base64: masked.match(/.{1,100}/g) ?? [] };
  }
  const json = parseExact(text);
  if (json !== undefined) return { json: scrubJson(json.value, scrub) };
  return { text: scrub(text).split('\n') };
}

export function bodyBytes(body: RecordedBody): Uint8Array {
  if ('json' in body) return Buffer.from(JSON.stringify(body.json));
  if ('text' in body) return Buffer.from(body.text.join('\n'));
  return Buffer.from(body.base64.join(''), 'base64');
}

function textOf(bytes: Uint8Array, contentType: string): string | undefined {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Parses JSON; undefined if writing it again would lose digits. */
function parseExact(text: string): { value: unknown } | undefined {
  const exact = (_key: string, part: unknown, context?: { source?: string }) => {
    const isRounded = typeof part === 'number' && /^-?\d+$/.test(context?.source ?? '') && !Number.isSafeInteger(part);
    if (isRounded) throw new RangeError('too many digits');
    return part;
  };
  try {
    const value: unknown = JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    return undefined;
  }
}
