import { isAscii, isUtf8 } from 'node:buffer';
import { createScrubber } from '@schemakit/http';
import type { BrokerResponse } from './host-message.ts';

type Scrub = (text: string) => string;

/** What is masked: the secrets, and what masks them in text. */
interface Masked {
  values: readonly string[];
  scrub: Scrub;
}

/**
 * Makes what masks secrets in the answers that handlers get: a handler could spell a secret in a way that nobody looks for.
 */
export function answerMask(masked: Masked): (answer: BrokerResponse) => BrokerResponse {
  const { scrubAll } = byteScrubs(masked);
  const maskBody = bodyMask(masked);
  return (answer) => ({
    url: scrubAll(answer.url),
    status: answer.status,
    statusText: scrubAll(answer.statusText),
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [scrubAll(name), scrubAll(value)]),
    ),
    body: maskBody(answer.body),
  });
}

/**
 * Makes what masks secrets in bytes, which their reader takes as it likes: as UTF-8, byte by byte, or as UTF-16 in either
 * order.
 */
export function bodyMask(masked: Masked): (body: Uint8Array) => Uint8Array {
  const { scrub } = masked;
  const { asBytes, scrubAll } = byteScrubs(masked);
  return (body) => {
    let bytes: Buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    bytes = isUtf8(bytes) ? rewrite(bytes, 'utf8', scrub) : rewrite(bytes, 'latin1', scrubAll);
    // A letter of ASCII has a zero in UTF-16, and a secret of six letters without any is beyond ASCII itself.
    if (asBytes.length === 0 && !bytes.includes(0)) return bytes;
    for (const start of [0, 1]) {
      bytes = rewritePart(bytes, start, (part) => rewrite(part, 'utf16le', scrub));
      bytes = rewritePart(bytes, start, (part) => swapped(rewrite(swapped(part), 'utf16le', scrub)));
    }
    return bytes;
  };
}

/** Bytes of UTF-8 that are read one by one: what headers hold, and bodies with something else among the text. */
function byteScrubs({ values, scrub }: Masked): { asBytes: readonly string[]; scrubAll: Scrub } {
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

/** Rewrites the whole pairs of bytes from `start` on. */
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
