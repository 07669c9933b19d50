import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Takes encoded chunks and gives back decoded ones. */
export interface ContentDecoder {
  write(chunk: Uint8Array): void;
  end(): void;
  destroy(): void;
}

/** What a decoder tells: chunks as they come, then exactly one of `onEnd` and `onError`. After `destroy` it tells nothing. */
export interface DecoderEvents {
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

// A body that ends early is handed over as far as it goes, as browsers and `fetch` do: some servers leave out the checksum.
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** Sent where the caller asks for no encoding of its own. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** A decoder for a `content-encoding` (RFC 9110 8.4.1), or nothing where it is not one of ours: then the body stays as it came. */
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

/** `deflate` means zlib's format (RFC 1950), but servers that send the bare one (RFC 1951) are common: the first byte tells. */
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
