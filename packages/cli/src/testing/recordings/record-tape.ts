import { type HttpAnswer, HttpError, scrubJson } from '@schemakit/http';
import { routeLabel, type TestCase } from '../test-case.ts';
import { maskRequest } from './masked-request.ts';
import { recordBody } from './recorded-body.ts';
import type { RecordedAnswer, RecordedExchange } from './recording.ts';
import { recordingFinding } from './recording-codes.ts';
import { recordingText, writeRecording } from './recording-file.ts';
import type { Tape } from './tape.ts';

/** Headers of answers that handlers may need; all others change with each answer, or are nobody's business. */
const keptHeaders = [
  ...['content-type', 'content-language', 'content-disposition', 'link', 'retry-after'],
  ...['x-total-count', 'x-total-pages', 'x-page', 'x-per-page', 'x-next-page', 'x-prev-page'],
];

/** Sends the requests of a test, and writes them with their answers to a file if the test succeeds. */
export function openRecordTape(
  test: TestCase,
  { path, scrub }: { path: string; scrub: (text: string) => string },
): Tape {
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
