import { hash } from 'node:crypto';

/** The text of a module, and what is wrong with its bytes. */
export interface ModuleText {
  /** sha256 of the bytes, in hexadecimal. */
  readonly hash: string;
  /** Without a byte order mark, as Node reads it. */
  text: string;
  byteLength: number;
  /** False when the bytes are not UTF-8 (or the string has half surrogate pairs); `text` then holds U+FFFD in their place. */
  wellFormed: boolean;
}

const decoder = new TextDecoder('utf-8');
const strictDecoder = new TextDecoder('utf-8', { fatal: true });
const byteOrderMark = '\uFEFF';

/** Decodes a module the way Node does: UTF-8, replacement characters for broken bytes, no byte order mark. Does not keep the bytes. */
export function readModuleText(source: Uint8Array | string): ModuleText {
  if (typeof source === 'string') {
    const wellFormed = source.isWellFormed();
    const text = wellFormed ? source : source.toWellFormed();
    return {
      get hash() {
        return hash('sha256', text);
      },
      text: text.startsWith(byteOrderMark) ? text.slice(1) : text,
      byteLength: Buffer.byteLength(text),
      wellFormed,
    };
  }
  return { ...decode(source), hash: hash('sha256', source), byteLength: source.byteLength };
}

function decode(bytes: Uint8Array): { text: string; wellFormed: boolean } {
  try {
    return { text: strictDecoder.decode(bytes), wellFormed: true };
  } catch {
    // The strict decoder says only that something is wrong; the lenient one gives what Node would run.
    return { text: decoder.decode(bytes), wellFormed: false };
  }
}
