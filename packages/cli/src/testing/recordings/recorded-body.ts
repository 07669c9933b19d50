import { scrubJson } from '@schemakit/http';
import type { RecordedBody } from './recording.ts';

type Scrub = (text: string) => string;

/** A body as a recording has it, with secrets masked. `contentType` is that of its message. */
export function recordBody(bytes: Uint8Array, contentType: string, scrub: Scrub): RecordedBody {
  const text = textOf(bytes, contentType);
  if (text === undefined) {
    // latin1 maps bytes to characters one to one.
    const masked = Buffer.from(scrub(Buffer.from(bytes).toString('latin1')), 'latin1').toString('base64');
    return { base64: masked.match(/.{1,100}/g) ?? [] };
  }
  const json = readJson(text);
  if (json !== undefined) return { json: scrubJson(json.value, scrub) };
  return { text: scrub(text).split('\n') };
}

/** The bytes of a recorded body. */
export function bodyBytes(body: RecordedBody): Uint8Array {
  if ('json' in body) return Buffer.from(JSON.stringify(body.json));
  if ('text' in body) return Buffer.from(body.text.join('\n'));
  return Buffer.from(body.base64.join(''), 'base64');
}

function textOf(bytes: Uint8Array, contentType: string): string | undefined {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The value of JSON; undefined also where writing it again would lose digits. */
function readJson(text: string): { value: unknown } | undefined {
  const exact = (_key: string, part: unknown, context?: { source?: string }) => {
    const isRounded = typeof part === 'number' && /^-?\d+$/.test(context?.source ?? '') && !Number.isSafeInteger(part);
    if (isRounded) throw new RangeError('too many digits');
    return part;
  };
  try {
    const value: unknown = JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    return undefined;
  }
}
