import type { Finding } from '@schemakit/core';
import {
  createAnswer,
  createScrubber,
  HTTP_ERRORS,
  type HttpAnswer,
  HttpError,
  type HttpErrorCode,
  type HttpRequest,
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
  readRecording,
  recordingPath,
  recordingText,
  type Tape,
  writeRecording,
} from './recording.ts';
import { recordingFinding } from './recording-codes.ts';
import { requestDifferences } from './request-differences.ts';

/** Where answers are recorded, or come from. */
export interface TapeFolder {
  kind: 'record' | 'replay';
  folder: string;
}

export type OpenedTape = { tape?: Tape } | { missing: string } | { findings: readonly Finding[] };

/** Gives each test what stands between it and the network; nothing, where its requests simply go there. */
export function openTapes(
  place: TapeFolder | undefined,
  secrets: readonly string[],
): (test: TestCase) => Promise<OpenedTape> {
  if (place === undefined) return async () => ({});
  const { kind, folder } = place;
  const scrub = createScrubber(secrets, mask);
  return async (test) => {
    const path = recordingPath(folder, test);
    if (kind === 'record') return { tape: openRecordTape(test, { path, scrub }) };
    const read = await readRecording(path);
    if (read.status === 'missing') return { missing: path };
    if (read.status === 'broken') {
      return { findings: [recordingFinding('REC002', read.problem, 'Record the test again with --record.', path)] };
    }
    return { tape: openReplayTape(read.exchanges, { path, scrub }) };
  };
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
      const recorded = exchanges.filter((exchange) => exchange !== undefined);
      const document = { version: 1 as const, tool: routeLabel(test), test: testOf(test), exchanges: recorded };
      const text = recordingText(scrubJson(document, scrub) as typeof document);
      if (scrub(text) !== text) {
        const hint = 'A secret in it could not be told from the text around it. Use another one for recording.';
        return [recordingFinding('REC003', 'the recording would show a secret, and was not written', hint)];
      }
      try {
        await writeRecording(path, text);
        return [];
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return [
          recordingFinding(
            'REC003',
            `the recording cannot be written: ${reason}`,
            'Check the folder and its rights.',
            path,
          ),
        ];
      }
    },
  };
}

function testOf({ description, userParams }: TestCase): Record<string, unknown> {
  return { _description: description, ...userParams };
}

function recordAnswer({ status, headers, body }: HttpAnswer, scrub: (text: string) => string): RecordedAnswer {
  const kept = keptHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, scrub(value)]];
  });
  return { status, headers: Object.fromEntries(kept), body: recordBody(body, headers['content-type'] ?? '', scrub) };
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
      return [
        ...refused,
        ...unasked.map(({ request }) => `${label(request)} is in the recording, and was not asked`),
      ].map((message) => recordingFinding('REC001', message, hint, shownFile(path)));
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
  const word = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `replayed-${word}-value`;
}
