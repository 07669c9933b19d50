import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Finding, updateFile } from '@schemakit/core';
import type { Interceptor } from '@schemakit/http';
import { isRecord, readJson } from '../../settings/read-json.ts';
import { shownFile, type TestCase } from '../test-case.ts';

/** A body: JSON where it is that, else text by its lines, else bytes in base64, also in lines. Lines show well in a diff. */
export type RecordedBody = { json: unknown } | { text: string[] } | { base64: string[] };

/** A request with its secrets masked. */
export interface RecordedRequest {
  method: string;
  url: string;
  /** Those that the schema or its handlers set, by their names in lower case. */
  headers: Record<string, string>;
  body?: RecordedBody;
}

/** What came back: an answer, or the code of the failure that left none. */
export type RecordedAnswer =
  | { status: number; headers: Record<string, string>; body: RecordedBody }
  | { failure: string };

export interface RecordedExchange {
  request: RecordedRequest;
  answer: RecordedAnswer;
}

/** The requests of one test with their answers, in the order in which they were made. */
export interface Recording {
  /** Of the form of these files. */
  version: 1;
  tool: string;
  test: Record<string, unknown>;
  exchanges: RecordedExchange[];
}

/** What stands in place of a secret. */
export const mask = '[REDACTED]';

/** What an author writes in a recording in place of a part that is another one each time, such as a signature. */
export const anything = '{{ANY}}';

/** The file of a test below a folder of recordings: `<namespace>/<schema>/<tool>-<number>.json`. */
export function recordingPath(folder: string, { namespace, schema, routeName, number }: TestCase): string {
  const stem = basename(schema.file).replace(/\.[^.]+$/, '');
  return join(folder, fileName(namespace), fileName(stem), `${fileName(routeName)}-${number}.json`);
}

/** Names of tools may hold any character; nothing of them may lead out of the folder. */
function fileName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return name === '' ? '_' : name;
}

/** Writes a recording, as a whole or not at all. */
export async function writeRecording(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await updateFile(path, () => text);
}

/** The text of a recording: the same for the same test, so that a change shows what has changed. */
export function recordingText(recording: Recording): string {
  return `${JSON.stringify(recording, null, 2)}\n`;
}

export type RecordingRead =
  | { status: 'read'; exchanges: readonly RecordedExchange[] }
  | { status: 'missing' }
  | { status: 'broken'; problem: string };

/** Reads a recording. Never throws. */
export async function readRecording(path: string): Promise<RecordingRead> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { status: 'missing' };
    return { status: 'broken', problem: `${shownFile(path)} cannot be read: ${message}` };
  }
  const read = readJson(text);
  if (!read.ok) {
    const { line, column } = read.place;
    return {
      status: 'broken',
      problem: `${shownFile(path)}:${line}:${column}: the recording is not JSON: ${read.problem}`,
    };
  }
  const { value, placeOf } = read;
  const exchanges: unknown[] = isRecord(value) && Array.isArray(value.exchanges) ? value.exchanges : [undefined];
  const wrong = exchanges.findIndex((exchange) => !isExchange(exchange));
  if (wrong === -1 && isRecord(value) && value.version === 1) {
    return { status: 'read', exchanges: exchanges as RecordedExchange[] };
  }
  const { line, column } = placeOf('exchanges', Math.max(wrong, 0));
  return { status: 'broken', problem: `${shownFile(path)}:${line}:${column}: this is not how a recording looks` };
}

function isExchange(value: unknown): value is RecordedExchange {
  if (!isRecord(value) || !isRecord(value.request) || !isRecord(value.answer)) return false;
  const { request, answer } = value;
  if (typeof request.method !== 'string' || typeof request.url !== 'string' || !isTexts(request.headers)) return false;
  if (request.body !== undefined && !isBody(request.body)) return false;
  if (typeof answer.failure === 'string') return true;
  const { status } = answer;
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599;
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

/** What stands between one test and the network. */
export interface Tape {
  intercept: Interceptor;
  /** Ends the test. Gives what is wrong with its requests, over which the test fails. */
  finish(hasSucceeded: boolean): Promise<Finding[]>;
}
