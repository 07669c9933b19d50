import { messageOf } from '@schemakit/core/internal';
import { APICallError } from 'ai';

/** Why a request to the model failed, for people. */
export function modelProblem(error: unknown): string {
  const message = messageOf(error);
  if (!APICallError.isInstance(error)) return `The request to the model failed: ${message}`;
  const { url, statusCode } = error;
  const status = statusCode === undefined ? '' : ` (status ${statusCode})`;
  return `The request to the model at ${url} failed${status}: ${message}`;
}

/** Whether the provider has refused a request because it is longer than the model can read. */
export function isTooLong(error: unknown): boolean {
  if (!APICallError.isInstance(error) || ![400, 413, 422].includes(error.statusCode ?? 0)) return false;
  return tooLong.test(`${error.message} ${error.responseBody ?? ''}`);
}

/** As the providers say it; there is no common code. */
const tooLong =
  /(?:prompt|input|request|conversation|messages?)\b.{0,40}\b(?:too long|too large|too many tokens)|context[ _-]?(?:length|window|size)|maximum context|exceeds? the (?:model|context)/i;
