import type { HttpAnswer } from '@schemakit/http';
import { messageOf } from '../schema/finding.ts';
import { parseAnswerJson } from '../schema/output/parse-answer-json.ts';
import type { Output, Tool } from '../schema/schema.ts';
import type { SecretVault } from './secret-vault.ts';

export type ParsedAnswer =
  /** `text` is the body as text, or base64 if it is binary. */
  | { kind: 'json' | 'text' | 'binary'; data: unknown; text: string; mimeType: string }
  /** For a handler: JSON by its type or its first character, not parsed yet. */
  | { kind: 'unparsed'; text: string; mimeType: string }
  | { kind: 'not-json'; problem: string; text: string; mimeType: string };

/** Parses a body by its content type. HTML where a tool promises JSON is a problem, unless a handler reads text (`INVALID_JSON`). */
export function parseAnswer(
  answer: Pick<HttpAnswer, 'headers' | 'body' | 'text'>,
  {
    tool,
    hasHandler,
    scrubNumbers = (text) => text,
  }: { tool: Pick<Tool, 'accept' | 'output'>; hasHandler: boolean; scrubNumbers?: (text: string) => string },
): ParsedAnswer {
  const output = expectedAnswer(tool);
  const mimeType = mediaTypeOf(answer.headers['content-type'] ?? '');
  if (isBinaryType(mimeType, tool) && answer.body.length > 0) {
    const text = Buffer.from(answer.body).toString('base64');
    return { kind: 'binary', data: text, text, mimeType };
  }
  const text = scrubNumbers(answer.text());
  if (text === '') return { kind: 'json', data: null, text, mimeType };
  const saysJson = mimeType === '' || isJson(mimeType);
  const promisesJson = output !== undefined && isJson(output.mimeType);
  if (saysJson || promisesJson || /^\s*[[{]/.test(text)) {
    if (hasHandler) return { kind: 'unparsed', text, mimeType };
    try {
      return { kind: 'json', data: parseAnswerJson(text), text, mimeType };
    } catch (error) {
      const isPage = mimeType === 'text/html' || /^\s*<(!doctype|html)/i.test(text);
      if (isJson(mimeType) || promisesJson || (isPage && output === undefined)) {
        return { kind: 'not-json', problem: messageOf(error), text, mimeType };
      }
    }
  } else if (!hasHandler && output === undefined && mimeType === 'text/html') {
    return { kind: 'not-json', problem: 'the answer is an HTML page', text, mimeType };
  }
  return { kind: 'text', data: text, text, mimeType };
}

/** What the API is asked for: `output` describes the answer after the handlers. */
function expectedAnswer({ accept, output }: Pick<Tool, 'accept' | 'output'>): Output | undefined {
  return accept === undefined ? output : { mimeType: acceptedTypes(accept)[0] ?? '' };
}

function acceptedTypes(accept: string): string[] {
  return accept.split(',').map(mediaTypeOf);
}

/** Whether an answer has one of the types that its tool asks for (RFC 9110, 12.5.1). */
export function isAccepted(mimeType: string, { accept = '*/*' }: Pick<Tool, 'accept'>): boolean {
  const [main = ''] = mimeType.split('/', 1);
  return acceptedTypes(accept).some((type) => type === '*/*' || type === mimeType || type === `${main}/*`);
}

/** Without parameters such as `charset`. */
function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

function isJson(mimeType: string): boolean {
  return mimeType === 'application/json' || mimeType.endsWith('+json') || mimeType === 'text/json';
}

/** Whether bodies of a media type become base64. What a tool asks for by its full name is binary, unless it is a kind of text. */
export function isBinaryType(mimeType: string, tool: Pick<Tool, 'accept' | 'output'>): boolean {
  if (/^(image|audio|video|font)\//.test(mimeType)) return mimeType !== 'image/svg+xml';
  if (/^application\/(pdf|zip|gzip|x-protobuf|protobuf|wasm|msgpack|vnd\.ms-|vnd\.openxml)/.test(mimeType)) return true;
  if (mimeType === 'application/octet-stream') return !isTextType(expectedAnswer(tool)?.mimeType ?? '');
  return tool.accept !== undefined && acceptedTypes(tool.accept).includes(mimeType) && !isOtherText(mimeType);
}

function isTextType(mimeType: string): boolean {
  return /^text\/|json|xml/.test(mimeType);
}

function isOtherText(mimeType: string): boolean {
  return isTextType(mimeType) || /yaml|javascript|csv|sql|graphql|form-urlencoded|rtf|toml/.test(mimeType);
}

/** The answer of a call before secrets are masked in it. */
export interface RawAnswer {
  data: unknown;
  /** Whether `data` was parsed from JSON and not changed since: then its JSON text shows everything in it. */
  isParsed?: boolean;
  /** JSON text of `data`, if a host process has written it already. */
  text?: string | undefined;
}

export interface AnswerText {
  data: unknown;
  text: string;
}

/** Masks secrets in an answer and writes it as text. */
export function maskedAnswer({ data, isParsed = false, text: written }: RawAnswer, vault: SecretVault): AnswerText {
  if (vault.values.length === 0) return { data, text: written ?? stringifyData(data) };
  // The text of a host may contain a secret with escapes: only text that this process wrote can be searched as a whole.
  const text = isParsed ? stringifyData(data) : undefined;
  if (text !== undefined && vault.jsonHasNoSecrets(text)) return { data, text };
  const masked = vault.scrubData(data);
  return { data: masked, text: text !== undefined && masked === data ? text : stringifyData(masked) };
}

/** A call's result as JSON text; circular references become `[Circular]`. Throws if the data is nested several thousand levels deep. */
export function stringifyData(data: unknown): string {
  try {
    // A replacer would make the usual case several times slower.
    return JSON.stringify(data) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) {
      const hint = 'Ask for less, or return the part that is needed from a postRequest handler.';
      const tooDeep = new Error('The answer is nested too deeply: it cannot be written as text');
      throw Object.assign(tooDeep, { code: 'ANSWER_TOO_DEEP', hint });
    }
    return JSON.stringify(data, withoutCircles()) ?? 'null';
  }
}

function withoutCircles(): (this: unknown, key: string, value: unknown) => unknown {
  const ancestors: unknown[] = [];
  return function (_key, value) {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    // `this` is the object that contains the key: everything deeper is no longer an ancestor of the value.
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop();
    if (ancestors.includes(value)) return '[Circular]';
    ancestors.push(value);
    return value;
  };
}
