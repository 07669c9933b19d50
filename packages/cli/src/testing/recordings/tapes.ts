import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, updateFile } from '@schemakit/core';
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
import { routeLabel, shownFile, type TestCase } from '../test-case.ts';
import { maskRequest } from './masked-request.ts';
import { bodyBytes, recordBody } from './recorded-body.ts';
import {
  mask,
  type RecordedAnswer,
  type RecordedExchange,
  type RecordedRequest,
  type Recording,
  readRecording,
  recordingPath,
} from './recording.ts';
import { recordingFinding } from './recording-codes.ts';
import { requestDifferences } from './request-differences.ts';

/** Where answers are recorded, or come from. */
export interface TapeFolder {
  kind: 'record' | 'replay';
  folder: string;
}

/** What stands between one test and the network. */
export interface Tape {
  intercept: Interceptor;
  /** Ends the test. Gives what is wrong with its requests, over which the test fails. */
  finish(hasSucceeded: boolean): Promise<Finding[]>;
}

export type OpenedTape = { tape?: Tape } | { missing: string } | { findings: readonly Finding[] };

/** Opens the tape of a test; none where its requests simply go to the network. */
export async function openTape(
  test: TestCase,
  { tapes, secrets }: { tapes: TapeFolder | undefined; secrets: readonly string[] },
): Promise<OpenedTape> {
  if (tapes === undefined) return {};
  const scrub = createScrubber(secrets, mask);
  const path = recordingPath(tapes.folder, test);
  if (tapes.kind === 'record') return { tape: openRecordTape(test, { path, scrub }) };
  const read = await readRecording(path);
  if (read.status === 'missing') return { missing: path };
  if (read.status === 'broken') {
    return { findings: [recordingFinding('REC002', read.problem, 'Record the test again with --record.', path)] };
  }
  return { tape: openReplayTape(read.exchanges, { path, scrub }) };
}

/** Tests that would be recorded in one file, because a file system may take their names for the same. */
export function sharedRecordings(folder: string, tests: readonly TestCase[]): TestCase[][] {
  const byPath = Map.groupBy(tests, (test) => recordingPath(folder, test).toLowerCase());
  return [...byPath.values()].filter((sharing) => sharing.length > 1);
}

/** Headers of answers that handlers may need; all others change with each answer, or are nobody's business. */
const keptHeaders = [
  ...['content-type', 'content-language', 'content-disposition', 'link', 'retry-after'],
  ...['x-total-count', 'x-total-pages', 'x-page', 'x-per-page', 'x-next-page', 'x-prev-page'],
];

/** Sends the requests of a test, and writes them with their answers to a file if the test succeeds. */
function openRecordTape(test: TestCase, { path, scrub }: { path: string; scrub: (text: string) => string }): Tape {
  const exchanges: (RecordedExchange | undefined)[] = [];
  return {
    async intercept(request, send) {
      // In the order in which they are made, whenever their answers come.
      const index = exchanges.push(undefined) - 1;
      const keep = (answer: RecordedAnswer) => {
        exchanges[index] = { request: maskRequest(request, scrub), answer };
      };
      try {
        const answer = await send();
        keep(recordAnswer(answer, scrub));
        return answer;
      } catch (error) {
        keep({ failure: error instanceof HttpError ? error.code : 'NETWORK' });
        throw error;
      }
    },
    async finish(hasSucceeded) {
      if (!hasSucceeded) return [];
      const document: Recording = {
        version: 1,
        tool: routeLabel(test),
        test: { _description: test.description, ...test.userParams },
        exchanges: exchanges.filter((exchange) => exchange !== undefined),
      };
      const text = `${JSON.stringify(scrubJson(document, scrub), null, 2)}\n`;
      if (scrub(text) !== text) {
        const hint = 'A secret in it could not be told from the text around it. Use another one for recording.';
        return [recordingFinding('REC003', 'the recording would show a secret, and was not written', hint)];
      }
      try {
        await mkdir(dirname(path), { recursive: true });
        await updateFile(path, () => text);
        return [];
      } catch (error) {
        const message = `the recording cannot be written: ${error instanceof Error ? error.message : String(error)}`;
        return [recordingFinding('REC003', message, 'Check the folder and its rights.', path)];
      }
    },
  };
}

function recordAnswer({ status, headers, body }: HttpAnswer, scrub: (text: string) => string): RecordedAnswer {
  const kept: Record<string, string> = {};
  for (const name of keptHeaders) if (headers[name] !== undefined) kept[name] = scrub(headers[name]);
  return { status, headers: kept, body: recordBody(body, headers['content-type'] ?? '', scrub) };
}

/** Answers the requests of a test from a recording, each once. Nothing is sent: a request that is not in it is refused. */
function openReplayTape(
  exchanges: readonly RecordedExchange[],
  { path, scrub }: { path: string; scrub: (text: string) => string },
): Tape {
  let open = [...exchanges];
  const refused: string[] = [];
  return {
    async intercept(request) {
      const asked = maskRequest(request, scrub);
      const rivals = open.map((exchange) => ({ exchange, differences: requestDifferences(asked, exchange.request) }));
      const found = rivals.find(({ differences }) => differences.length === 0)?.exchange;
      if (found !== undefined) {
        open = open.filter((exchange) => exchange !== found);
        return answerOf(found.answer, request);
      }
      const [nearest] = rivals.sort((left, right) => left.differences.length - right.differences.length);
      const message = `${label(asked)} is not in the recording: ${nearest?.differences.join('; ') ?? 'all of its requests were made'}`;
      refused.push(message);
      throw new Error(message);
    },
    async finish(hasSucceeded) {
      const hint = 'If the change is meant, record the test again: --record in place of --replay.';
      const unasked = hasSucceeded && refused.length === 0 ? open : [];
      const messages = unasked.map(({ request }) => `${label(request)} is in the recording, and was not asked`);
      return [...refused, ...messages].map((message) => recordingFinding('REC001', message, hint, shownFile(path)));
    },
  };
}

function label({ method, url }: RecordedRequest): string {
  return `${method} ${url}`;
}

function answerOf(recorded: RecordedAnswer, { url }: HttpRequest): ReturnType<typeof createAnswer> {
  if ('failure' in recorded) {
    const code = Object.hasOwn(HTTP_ERRORS, recorded.failure) ? (recorded.failure as HttpErrorCode) : 'NETWORK';
    throw new HttpError(code, URL.parse(url) ?? undefined, { detail: 'as recorded' });
  }
  const { status, headers, body } = recorded;
  return createAnswer({ url, status, headers: { ...headers }, body: bodyBytes(body) });
}

/** What stands in for a secret while answers are replayed. It can be a part of a host name, a path and a header. */
export function placeholderOf(name: string): string {
  return `replayed-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-value`;
}
