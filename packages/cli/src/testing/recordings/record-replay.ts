import { dirname } from 'node:path';
import type { Finding } from '@schemakit/core';
import { updateFile } from '@schemakit/core/internal';
import {
  createAnswer,
  createScrubber,
  HTTP_ERRORS,
  type HttpAnswer,
  HttpError,
  type HttpErrorCode,
  type HttpRequest,
  type Interceptor,
  scrubJson,
} from '@schemakit/http';
import { reasonOf } from '../../output/terminal-text.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { shownFile, type TestCase } from '../test-case.ts';
import { maskRequest } from './masked-request.ts';
import {
  bodyBytes,
  mask,
  type RecordedAnswer,
  type RecordedExchange,
  type RecordedRequest,
  type Recording,
  readRecording,
  recordBody,
  recordingFinding,
  recordingPath,
} from './recording.ts';
import { requestDifferences } from './request-differences.ts';

export interface RecordingFolder {
  kind: 'record' | 'replay';
  folder: string;
}

export interface RecordingSession {
  intercept: Interceptor;
  /** Ends the session and returns errors of its requests, which fail the test. */
  finish(hasSucceeded: boolean): Promise<Finding[]>;
}

export type OpenedSession =
  | { session: RecordingSession; about: Readonly<Record<string, unknown>> }
  | { missing: string }
  | { findings: readonly Finding[] };

/** Opens the session of a test. */
export async function openRecordingSession({
  kind,
  path,
  about,
  secrets,
}: {
  kind: RecordingFolder['kind'];
  /** The file. */
  path: string;
  /** What is recorded, for readers of the file. */
  about: Readonly<Record<string, unknown>>;
  secrets: readonly string[];
}): Promise<OpenedSession> {
  if (kind === 'record') return { session: recordSession(about, { path, secrets }), about };
  const scrub = createScrubber(secrets, mask);
  const read = await readRecording(path);
  if (read.status === 'missing') return { missing: path };
  if (read.status === 'broken') {
    return { findings: [recordingFinding('REC002', read.problem, 'Record the test again with --record.', path)] };
  }
  return { session: replaySession(read.exchanges, { path, scrub }), about: read.about };
}

export function sharedRecordings(folder: string, tests: readonly TestCase[]): TestCase[][] {
  const byPath = Map.groupBy(tests, (test) => recordingPath(folder, test).toLowerCase());
  return [...byPath.values()].filter((sharing) => sharing.length > 1);
}

/** Response headers that handlers may need. Others vary, or should not be published. */
const recordedHeaders = [
  ...['content-type', 'content-language', 'content-disposition', 'link', 'retry-after'],
  ...['x-total-count', 'x-total-pages', 'x-page', 'x-per-page', 'x-next-page', 'x-prev-page'],
];

/** Sends the requests of a test, and writes them with their responses to a file if the test passes. */
function recordSession(
  about: Readonly<Record<string, unknown>>,
  { path, secrets }: { path: string; secrets: readonly string[] },
): RecordingSession {
  const exchanges: (RecordedExchange | undefined)[] = [];
  let scrub = createScrubber(secrets, mask);
  return {
    async intercept(request, send, { purpose, secretValues = [] }) {
      // Fetched once for many tests, so it belongs to none of them.
      if (purpose === 'token') return send();
      // Access tokens among them.
      if (secretValues.some((value) => !secrets.includes(value)))
        scrub = createScrubber([...secrets, ...secretValues], mask);
      // In the order of the requests, not of the responses.
      const index = exchanges.push(undefined) - 1;
      const record = (answer: RecordedAnswer) => {
        exchanges[index] = { request: maskRequest(request, scrub), answer };
      };
      try {
        const answer = await send();
        record(recordAnswer(answer, scrub));
        return answer;
      } catch (error) {
        record(recordFailure(error));
        throw error;
      }
    },
    async finish(hasSucceeded) {
      if (!hasSucceeded) return [];
      const document: Recording = {
        version: 1,
        ...about,
        exchanges: exchanges.filter((exchange) => exchange !== undefined),
      };
      const text = `${JSON.stringify(scrubJson(document, scrub), null, 2)}\n`;
      if (scrub(text) !== text) {
        const hint = 'A secret could not be masked in its context. Use another secret for recording.';
        return [recordingFinding('REC003', 'the recording would contain a secret and was not written', hint)];
      }
      try {
        makeFolder(dirname(path));
        await updateFile(path, () => text);
        return [];
      } catch (error) {
        const message = `cannot write the recording: ${reasonOf(error)}`;
        return [recordingFinding('REC003', message, 'Check the folder and its permissions.', path)];
      }
    },
  };
}

function recordAnswer(
  { status, statusText, headers, body }: HttpAnswer,
  scrub: (text: string) => string,
): RecordedAnswer {
  const recorded: Record<string, string> = {};
  for (const name of recordedHeaders) if (headers[name] !== undefined) recorded[name] = scrub(headers[name]);
  const text = recordBody(body, headers['content-type'] ?? '', scrub);
  // Only messages of failures name it.
  return { status, ...(status >= 400 && { statusText: scrub(statusText) }), headers: recorded, body: text };
}

function recordFailure(error: unknown): RecordedAnswer {
  if (!(error instanceof HttpError)) return { failure: 'NETWORK' };
  const { code, message, hint } = error;
  return { failure: code, message, ...(hint !== HTTP_ERRORS[code].hint && { hint }) };
}

/** Answers the requests of a test from a recording, each once. Refuses other requests; sends nothing. */
function replaySession(
  exchanges: readonly RecordedExchange[],
  { path, scrub }: { path: string; scrub: (text: string) => string },
): RecordingSession {
  let remaining = [...exchanges];
  const refused: { message: string; hint: string }[] = [];
  return {
    async intercept(request, _send, { purpose }) {
      if (purpose === 'token') return replayedToken(request);
      const asked = maskRequest(request, scrub);
      const candidates = remaining.map((exchange) => ({
        exchange,
        differences: requestDifferences(asked, exchange.request),
      }));
      const found = candidates.find(({ differences }) => differences.length === 0)?.exchange;
      if (found !== undefined) {
        remaining = remaining.filter((exchange) => exchange !== found);
        return answerOf(found.answer, request);
      }
      const [nearest] = candidates.sort(
        (left, right) =>
          elsewhere(left.differences).length - elsewhere(right.differences).length ||
          left.differences.length - right.differences.length,
      );
      const message = `${label(asked)} is not in the recording: ${nearest === undefined ? 'all recorded requests were already made' : differencesText(nearest.differences)}`;
      const isOlder = nearest !== undefined && elsewhere(nearest.differences).length === 0;
      const why = isOlder ? 'The recording is of an older request, as after `schemakit update`. ' : '';
      refused.push({ message, hint: why + recordAgain });
      throw new Error(message);
    },
    async finish(hasSucceeded) {
      const unused = hasSucceeded && refused.length === 0 ? remaining : [];
      const left = unused.map(({ request }) => ({
        message: `${label(request)} is in the recording but was not requested`,
        hint: recordAgain,
      }));
      return [...refused, ...left].map(({ message, hint }) =>
        recordingFinding('REC001', message, hint, shownFile(path)),
      );
    },
  };
}

const recordAgain = 'If the change is intended, record the test again: --record instead of --replay.';

/** Of a request to another address, the other parts say nothing. */
function differencesText(differences: readonly string[]): string {
  const place = elsewhere(differences);
  return (place.length > 0 ? place : differences).join('; ');
}

function elsewhere(differences: readonly string[]): string[] {
  return differences.filter((text) => /^(method|address): /.test(text));
}

function label({ method, url }: RecordedRequest): string {
  return `${method} ${url}`;
}

function answerOf(recorded: RecordedAnswer, { url }: HttpRequest): ReturnType<typeof createAnswer> {
  if ('failure' in recorded) {
    const code = Object.hasOwn(HTTP_ERRORS, recorded.failure) ? (recorded.failure as HttpErrorCode) : 'NETWORK';
    const { message, hint } = recorded;
    const error = new HttpError(code, URL.parse(url) ?? undefined, { hint });
    throw message === undefined ? error : Object.assign(error, { message });
  }
  const { status, statusText = '', headers, body } = recorded;
  return createAnswer({ url, status, statusText, headers: { ...headers }, body: bodyBytes(body) });
}

/** The answer of a token endpoint during replay, where requests have no credentials. */
function replayedToken({ url }: HttpRequest): ReturnType<typeof createAnswer> {
  const body = Buffer.from(JSON.stringify({ access_token: placeholderOf('access token'), token_type: 'Bearer' }));
  return createAnswer({ url, status: 200, statusText: 'OK', headers: { 'content-type': 'application/json' }, body });
}

/** A placeholder for a secret during replay; valid in host names, paths and headers. */
export function placeholderOf(name: string): string {
  return `replayed-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-value`;
}
