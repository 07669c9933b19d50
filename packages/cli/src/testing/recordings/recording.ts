import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isRecord, readJson, type TextPlace } from '../../settings/read-json.ts';
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

export type RecordingRead =
  | { status: 'read'; exchanges: readonly RecordedExchange[] }
  | { status: 'missing' }
  | { status: 'broken'; problem: string };

/** Reads a recording. Never throws. */
export async function readRecording(path: string): Promise<RecordingRead> {
  const broken = (problem: string, place?: TextPlace): RecordingRead => {
    const where = place === undefined ? '' : `:${place.line}:${place.column}:`;
    return { status: 'broken', problem: `${shownFile(path)}${where} ${problem}` };
  };
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { status: 'missing' } : broken(`cannot be read: ${message}`);
  }
  const read = readJson(text);
  if (!read.ok) return broken(`the recording is not JSON: ${read.problem}`, read.place);
  const { value, placeOf } = read;
  const exchanges: unknown[] = isRecord(value) && Array.isArray(value.exchanges) ? value.exchanges : [undefined];
  if (isRecord(value) && value.version === 1 && exchanges.every(isExchange)) return { status: 'read', exchanges };
  const wrong = exchanges.findIndex((exchange) => !isExchange(exchange));
  return broken('this is not how a recording looks', placeOf('exchanges', Math.max(wrong, 0)));
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
