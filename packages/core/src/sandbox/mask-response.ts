import { isAscii, isUtf8 } from 'node:buffer';
import { createScrubber } from '@schemakit/http';
import type { BrokerResponse } from './host-message.ts';

type Scrub = (text: string) => string;

/** Secrets, and the function that masks them in text. */
interface Secrets {
  values: readonly string[];
  scrub: Scrub;
}

/** Masks secrets in responses before handlers get them: a handler could encode a secret in a way that is not recognized later. */
export function createResponseMask(secrets: Secrets): (response: BrokerResponse) => BrokerResponse {
  const { scrubAll } = byteScrubs(secrets);
  const maskBody = createBodyMask(secrets);
  return ({ url, status, statusText, headers, body }) => ({
    url: scrubAll(url),
    status,
    statusText: scrubAll(statusText),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [scrubAll(name), scrubAll(value)])),
    body: maskBody(body),
  });
}

/** Masks secrets in bytes, which may be read as UTF-8, byte by byte, or as UTF-16 in either byte order. */
export function createBodyMask(secrets: Secrets): (body: Uint8Array) => Uint8Array {
  const { scrub } = secrets;
  const { asBytes, scrubAll } = byteScrubs(secrets);
  return (body) => {
    let bytes: Buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    bytes = isUtf8(bytes) ? rewrite(bytes, 'utf8', scrub) : rewrite(bytes, 'latin1', scrubAll);
    // In UTF-16, ASCII text contains zero bytes; without them, only a secret beyond ASCII can be there.
    if (asBytes.length === 0 && !bytes.includes(0)) return bytes;
    for (const start of [0, 1]) {
      bytes = rewritePart(bytes, start, (part) => rewrite(part, 'utf16le', scrub));
      bytes = rewritePart(bytes, start, (part) => swapped(rewrite(swapped(part), 'utf16le', scrub)));
    }
    return bytes;
  };
}

/** For UTF-8 that is read byte by byte, as in headers and in bodies that are not all text. */
function byteScrubs({ values, scrub }: Secrets): { asBytes: readonly string[]; scrubAll: Scrub } {
  const asBytes = values
    .filter((value) => !isAscii(Buffer.from(value)))
    .map((value) => Buffer.from(value).toString('latin1'));
  const scrubBytes = createScrubber(asBytes);
  return { asBytes, scrubAll: (text) => scrub(scrubBytes(text)) };
}

function rewrite(bytes: Buffer, encoding: BufferEncoding, scrub: Scrub): Buffer {
  const text = bytes.toString(encoding);
  const scrubbed = scrub(text);
  return scrubbed === text ? bytes : Buffer.from(scrubbed, encoding);
}

/** Rewrites the complete pairs of bytes from `start` on. */
function rewritePart(bytes: Buffer, start: number, work: (part: Buffer) => Buffer): Buffer {
  const end = bytes.length - ((bytes.length - start) % 2);
  if (end <= start) return bytes;
  const part = bytes.subarray(start, end);
  const worked = work(part);
  return worked.equals(part) ? bytes : Buffer.concat([bytes.subarray(0, start), worked, bytes.subarray(end)]);
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}
