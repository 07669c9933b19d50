import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

export interface ContentDecoder {
  write(chunk: Uint8Array): void;
  end(): void;
  destroy(): void;
}

/** Receives decoded chunks, then exactly one of `onEnd` and `onError`; nothing after `destroy`. */
export interface DecoderEvents {
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

// Accepts a body that ends early, as browsers and `fetch` do: some servers leave out the checksum.
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** Sent unless the caller sets the header. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** A decoder for a `content-encoding` (RFC 9110 8.4.1); undefined for an unknown one, whose body stays as it is. */
export function createContentDecoder(encoding: string, events: DecoderEvents): ContentDecoder | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return decodeWith(() => createGunzip(ZLIB), events);
    case 'deflate':
      return decodeWith((first) => (hasZlibHeader(first) ? createInflate(ZLIB) : createInflateRaw(ZLIB)), events);
    case 'br':
      return decodeWith(() => createBrotliDecompress(BROTLI), events);
    default:
      return undefined;
  }
}

/** `deflate` means zlib's format (RFC 1950), but many servers send raw deflate data (RFC 1951). */
function hasZlibHeader(chunk: Uint8Array): boolean {
  return ((chunk[0] ?? 0) & 0x0f) === 0x08;
}

function decodeWith(
  create: (first: Uint8Array) => Transform,
  { onChunk, onEnd, onError }: DecoderEvents,
): ContentDecoder {
  let stream: Transform | undefined;
  return {
    write(chunk) {
      stream ??= create(chunk).on('data', onChunk).on('end', onEnd).on('error', onError);
      stream.write(chunk);
    },
    end() {
      if (stream === undefined) onEnd();
      else stream.end();
    },
    destroy() {
      stream?.off('data', onChunk).off('end', onEnd).destroy();
    },
  };
}
