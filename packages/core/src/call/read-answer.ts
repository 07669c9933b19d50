import type { Output } from '../format/tool.ts';

/** What came back from the upstream, as far as reading its body goes. */
export interface Answer {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

export type AnswerReading =
  /** `text` is the body as text, or base64 where it is binary. */
  | { kind: 'json' | 'text' | 'binary'; data: unknown; text: string; mimeType: string }
  | { kind: 'not-json'; problem: string; text: string; mimeType: string };

/**
 * Reads a body by its content type: JSON as a value, text and XML as text, anything else as base64. Where a tool
 * promises JSON and has no handler that reads text, a page in place of JSON is a problem (specification 7.2).
 */
export function readAnswer(
  answer: Answer,
  { output, hasHandler }: { output?: Output | undefined; hasHandler: boolean },
): AnswerReading {
  const contentType = answer.headers['content-type'] ?? '';
  const mimeType = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (answer.body.length === 0) return { kind: 'json', data: null, text: '', mimeType };
  if (isBinary(mimeType, output)) {
    const text = Buffer.from(answer.body).toString('base64');
    return { kind: 'binary', data: text, text, mimeType };
  }
  const text = decode(answer.body, contentType);
  const saysJson = mimeType === '' || isJson(mimeType);
  const promisesJson = output !== undefined && isJson(output.mimeType);
  if (saysJson || promisesJson || /^\s*[[{]/.test(text)) {
    try {
      return { kind: 'json', data: parseJson(text), text, mimeType };
    } catch (error) {
      const isPage = mimeType === 'text/html' || /^\s*<(!doctype|html)/i.test(text);
      if (!hasHandler && (isJson(mimeType) || promisesJson || (isPage && output === undefined))) {
        return { kind: 'not-json', problem: error instanceof Error ? error.message : String(error), text, mimeType };
      }
    }
  } else if (!hasHandler && output === undefined && mimeType === 'text/html') {
    return { kind: 'not-json', problem: 'the answer is an HTML page', text, mimeType };
  }
  return { kind: 'text', data: text, text, mimeType };
}

function isJson(mimeType: string): boolean {
  return mimeType === 'application/json' || mimeType.endsWith('+json') || mimeType === 'text/json';
}

function isBinary(mimeType: string, output: Output | undefined): boolean {
  if (/^(image|audio|video|font)\//.test(mimeType)) return mimeType !== 'image/svg+xml';
  if (/^application\/(pdf|zip|gzip|x-protobuf|protobuf|wasm|msgpack|vnd\.ms-|vnd\.openxml)/.test(mimeType)) return true;
  if (mimeType === 'application/octet-stream') return output === undefined || !/^text\/|json|xml/.test(output.mimeType);
  return false;
}

const utf8 = new TextDecoder();

function decode(body: Uint8Array, contentType: string): string {
  const charset = contentType.includes('charset') ? /charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] : undefined;
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8.decode(body);
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return utf8.decode(body); // A charset that nobody knows: most answers are UTF-8 all the same.
  }
}

/**
 * Parses JSON. Integers that a number cannot hold become text with their exact digits, as bigints do everywhere here: an
 * identifier that lost its last digits names something else.
 */
function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context?: { source?: string }) => {
    const isUnsafe = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isUnsafe && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
  }) as (key: string, value: unknown) => unknown);
}
