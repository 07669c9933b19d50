import { createAnswer, HTTP_ERRORS, HttpError, type HttpErrorCode, type HttpRequest } from '@schemakit/http';
import { shownFile } from '../test-case.ts';
import { maskRequest } from './masked-request.ts';
import { bodyBytes } from './recorded-body.ts';
import type { RecordedAnswer, RecordedExchange, RecordedRequest } from './recording.ts';
import { recordingFinding } from './recording-codes.ts';
import { requestDifferences } from './request-differences.ts';
import type { Tape } from './tape.ts';

/** Answers the requests of a test from a recording, each once. Nothing is sent: a request that is not in it is refused. */
export function openReplayTape(
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
