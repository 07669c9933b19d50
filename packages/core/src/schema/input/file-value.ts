/** Largest file without `max(…)`, in bytes. */
export const maxFileBytes: number = 10 * 1024 * 1024;

/** A file of a caller, from base64 text or from a `data:` URL (RFC 2397), which can tell its type and its name. */
export interface FileValue {
  base64: string;
  bytes: number;
  /** The media type in lowercase, such as `image/png`. */
  type?: string;
  /** Without folders, quotes and control characters. */
  name?: string;
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[\w.+-]+=[^;,]*)*);base64,/i;

/** Reads a file of a caller; undefined if the text is neither base64 nor a `data:` URL with base64. */
export function parseFileValue(text: string): FileValue | undefined {
  const [head = '', type, parameters = ''] = dataUrl.exec(text) ?? [];
  const base64 = text.slice(head.length).replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  const digits = base64.endsWith('=') ? base64.indexOf('=') : base64.length;
  if (digits % 4 === 1 || (digits < base64.length && base64.length % 4 !== 0)) return undefined;
  const written = /;name=([^;]*)/i.exec(parameters)?.[1];
  const name = written === undefined ? undefined : plainName(written);
  return {
    base64,
    bytes: Math.floor((digits * 3) / 4),
    ...(type !== undefined && { type: type.toLowerCase() }),
    ...(name && { name }),
  };
}

/** A name may stand in a header of a multipart body, so nothing stays that could end its quotes. */
function plainName(written: string): string {
  const [name = ''] = decode(written).split(/[/\\]/).slice(-1);
  // Of `..`, nothing is left that could be the name of a file.
  return /^[. ]*$/.test(name) ? '' : name.replace(/[\p{Cc}"]/gu, '_').slice(0, 200);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A percent sign of its own.
  }
}
