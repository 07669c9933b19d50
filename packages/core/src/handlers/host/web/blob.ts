let readBlob: (blob: HandlerBlob) => Uint8Array<ArrayBuffer>;

/** Bytes with a type, as in the File API; without streams. */
export class HandlerBlob {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;

  constructor(parts: Iterable<unknown> = [], options: { type?: unknown } = {}) {
    this.#bytes = joinBytes(Array.from(parts, bytesOf));
    this.type = String(options.type ?? '').toLowerCase();
  }

  static {
    readBlob = (blob) => blob.#bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  get [Symbol.toStringTag](): string {
    return 'Blob';
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.#bytes);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#bytes.slice();
  }

  slice(start?: number, end?: number, type?: unknown): HandlerBlob {
    return new HandlerBlob([this.#bytes.slice(start, end)], { type });
  }
}

/** A blob with a name. */
export class HandlerFile extends HandlerBlob {
  readonly name: string;
  readonly lastModified: number;

  constructor(parts: Iterable<unknown>, name: unknown, options: { type?: unknown; lastModified?: unknown } = {}) {
    super(parts, options);
    this.name = String(name);
    this.lastModified = Number(options.lastModified ?? Date.now());
  }

  override get [Symbol.toStringTag](): string {
    return 'File';
  }
}

/** The bytes of anything that a body or a part of a blob may be; text is encoded as UTF-8. */
export function bytesOf(part: unknown): Uint8Array<ArrayBuffer> {
  if (part === undefined || part === null) return new Uint8Array();
  if (part instanceof HandlerBlob) return readBlob(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice());
  // Not `Uint8Array.from`, which goes through an iterator byte by byte.
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice();
  return new TextEncoder().encode(String(part));
}

/** One block with the bytes of all. */
export function joinBytes(blocks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(blocks.reduce((length, block) => length + block.length, 0));
  let offset = 0;
  for (const block of blocks) {
    joined.set(block, offset);
    offset += block.length;
  }
  return joined;
}
