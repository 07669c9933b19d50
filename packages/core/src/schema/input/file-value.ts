/** A file that a caller gives as text. */
export interface FileValue {
  bytes: Buffer;
  /** The media type and the name, if the caller gave a `data:` URL with them. */
  type?: string;
  name?: string;
}

/**
 * Parses a file: base64, or a `data:` URL (RFC 2397), also with a name as in `data:image/png;name=x.png;base64,…`. Undefined if it is
 * neither.
 */
export function parseFileValue(text: string): FileValue | undefined {
  if (!/^data:/i.test(text)) return isBase64(text) ? { bytes: Buffer.from(text, 'base64') } : undefined;
  const comma = text.indexOf(',');
  if (comma === -1) return undefined;
  const [type = '', ...parameters] = text.slice('data:'.length, comma).split(';');
  const data = text.slice(comma + 1);
  const encoded = parameters.find((parameter) => /^name=/i.test(parameter))?.slice('name='.length);
  const name = encoded === undefined ? undefined : decoded(encoded)?.toString();
  const bytes = /^base64$/i.test(parameters.at(-1) ?? '')
    ? isBase64(data)
      ? Buffer.from(data, 'base64')
      : undefined
    : decoded(data);
  if (bytes === undefined) return undefined;
  const isType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type);
  return { bytes, ...(isType && { type: type.toLowerCase() }), ...(name && { name }) };
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function decoded(text: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}
