import type { HttpAnswer } from '@schemakit/http';
import { parseAnswerJson } from '../schema/output/parse-answer-json.ts';
import type { Output } from '../schema/schema.ts';

/** What came back from the upstream, as far as reading its body goes. */
export type Answer = Pick<HttpAnswer, 'headers' | 'body' | 'text'>;

export type AnswerReading =
  /** `text` is the body as text, or base64 where it is binary. */
  | { kind: 'json' | 'text' | 'binary'; data: unknown; text: string; mimeType: string }
  /** For a handler: JSON by its type or its look, which nobody has read yet. */
  | { kind: 'unread'; text: string; mimeType: string }
  | { kind: 'not-json'; problem: string; text: string; mimeType: string };

/**
 * Reads a body by its content type: JSON as a value, text and XML as text, anything else as base64. Where a tool
 * promises JSON and has no handler that reads text, a page in place of JSON is a problem (specification 7.2).
 */
export function readAnswer(
  answer: Answer,
  { output, hasHandler }: { output?: Output | undefined; hasHandler: boolean },
): AnswerReading {
  const mimeType = mediaTypeOf(answer.headers['content-type'] ?? '');
  if (isBinaryType(mimeType, output) && answer.body.length > 0) {
    const text = Buffer.from(answer.body).toString('base64');
    return { kind: 'binary', data: text, text, mimeType };
  }
  const text = answer.text();
  if (text === '') return { kind: 'json', data: null, text, mimeType };
  const saysJson = mimeType === '' || isJson(mimeType);
  const promisesJson = output !== undefined && isJson(output.mimeType);
  if (saysJson || promisesJson || /^\s*[[{]/.test(text)) {
    if (hasHandler) return { kind: 'unread', text, mimeType };
    try {
      return { kind: 'json', data: parseAnswerJson(text), text, mimeType };
    } catch (error) {
      const isPage = mimeType === 'text/html' || /^\s*<(!doctype|html)/i.test(text);
      if (isJson(mimeType) || promisesJson || (isPage && output === undefined)) {
        return { kind: 'not-json', problem: error instanceof Error ? error.message : String(error), text, mimeType };
      }
    }
  } else if (!hasHandler && output === undefined && mimeType === 'text/html') {
    return { kind: 'not-json', problem: 'the answer is an HTML page', text, mimeType };
  }
  return { kind: 'text', data: text, text, mimeType };
}

/** Without its parameters. */
function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

function isJson(mimeType: string): boolean {
  return mimeType === 'application/json' || mimeType.endsWith('+json') || mimeType === 'text/json';
}

/** Whether bodies of a media type are given as base64. */
export function isBinaryType(mimeType: string, output: Output | undefined): boolean {
  if (/^(image|audio|video|font)\//.test(mimeType)) return mimeType !== 'image/svg+xml';
  if (/^application\/(pdf|zip|gzip|x-protobuf|protobuf|wasm|msgpack|vnd\.ms-|vnd\.openxml)/.test(mimeType)) return true;
  if (mimeType === 'application/octet-stream') return output === undefined || !/^text\/|json|xml/.test(output.mimeType);
  return false;
}
