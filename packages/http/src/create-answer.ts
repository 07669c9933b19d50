import type { HttpAnswer } from './http-message.ts';
import { ReceivedAnswer } from './received-answer.ts';
import { ReplyBody } from './reply-body.ts';

/** Makes an answer out of what is known of it, as if it had been received. `body` is decoded. */
export function createAnswer({
  url,
  status,
  headers,
  body,
}: Pick<HttpAnswer, 'url' | 'status' | 'headers' | 'body'>): HttpAnswer {
  return new ReceivedAnswer(url, { status, statusText: '', headers, body: new ReplyBody([body], body.length) }, [], {
    attempts: 1,
    waitedMs: 0,
  });
}
