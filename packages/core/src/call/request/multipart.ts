import { randomBytes } from 'node:crypto';

/** A body of the type `multipart/form-data` (RFC 7578). */
export interface Multipart {
  boundary: string;
  parts: Part[];
}

export interface Part {
  name: string;
  content: string | Uint8Array;
  filename?: string;
  /** Default `text/plain`. */
  type?: string;
}

/** The boundary has 192 random bits: no content can have it, by chance or on purpose. */
export function createMultipart(parts: Part[]): Multipart {
  return { boundary: `schemakit-${randomBytes(24).toString('hex')}`, parts };
}

/** The bytes of a body. `reveal` inserts the secrets in a text. */
export function multipartBytes({ boundary, parts }: Multipart, reveal: (text: string) => string): Uint8Array {
  const chunks = parts.flatMap(({ name, content, filename, type }) => {
    const file = filename === undefined ? '' : `; filename="${quotable(filename)}"`;
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${quotable(name)}"${file}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ];
    const body = typeof content === 'string' ? Buffer.from(reveal(content)) : content;
    return [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body, Buffer.from('\r\n')];
  });
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Escapes a name as browsers do (HTML standard, multipart/form-data encoding algorithm). */
function quotable(name: string): string {
  return name.toWellFormed().replace(/["\r\n]/g, encodeURIComponent);
}
