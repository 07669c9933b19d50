import { type HandlerHeaders, NamedValues } from './headers.ts';

abstract class Readable {
  readonly #take: () => Uint8Array<ArrayBuffer>;

  constructor(take: () => Uint8Array<ArrayBuffer>) {
    this.#take = take;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.#take());
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#take().slice();
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }
}

/** The body of a request or a response, as in the Fetch standard. */
export abstract class HandlerBody extends Readable {
  readonly headers: HandlerHeaders;

  constructor(take: () => Uint8Array<ArrayBuffer>, headers: HandlerHeaders) {
    super(take);
    this.headers = headers;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async blob(): Promise<HandlerBlob> {
    return new HandlerBlob([await this.bytes()], { type: this.headers.get('content-type') ?? '' });
  }
}

let readBlob: (blob: HandlerBlob) => Uint8Array<ArrayBuffer>;

/** Bytes with a type, as in the File API; without streams. */
export class HandlerBlob extends Readable {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;

  constructor(parts: Iterable<unknown> = [], options: { type?: unknown } = {}) {
    super(() => this.#bytes);
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

  slice(start?: number, end?: number, type?: unknown): HandlerBlob {
    return new HandlerBlob([this.#bytes.slice(start, end)], { type });
  }
}

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

/** The bytes of a body or of a part of a blob; text is encoded as UTF-8. */
export function bytesOf(part: unknown): Uint8Array<ArrayBuffer> {
  if (part === undefined || part === null) return new Uint8Array();
  if (part instanceof HandlerBlob) return readBlob(part);
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice());
  // Not `Uint8Array.from`, which copies byte by byte.
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice();
  return new TextEncoder().encode(String(part));
}

function joinBytes(blocks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(blocks.reduce((length, block) => length + block.length, 0));
  let offset = 0;
  for (const block of blocks) {
    joined.set(block, offset);
    offset += block.length;
  }
  return joined;
}

type FormValue = string | HandlerFile;

/** A form to send, as in the Fetch standard. */
export class HandlerFormData extends NamedValues<FormValue> {
  #fields: [string, FormValue][] = [];

  append(name: unknown, value: unknown, fileName?: unknown): void {
    this.#fields.push([String(name), formValue(value, fileName)]);
  }

  set(name: unknown, value: unknown, fileName?: unknown): void {
    this.delete(name);
    this.append(name, value, fileName);
  }

  get(name: unknown): FormValue | null {
    return this.getAll(name)[0] ?? null;
  }

  getAll(name: unknown): FormValue[] {
    return this.#fields.filter(([key]) => key === String(name)).map(([, value]) => value);
  }

  has(name: unknown): boolean {
    return this.#fields.some(([key]) => key === String(name));
  }

  delete(name: unknown): void {
    this.#fields = this.#fields.filter(([key]) => key !== String(name));
  }

  entries(): ArrayIterator<[string, FormValue]> {
    return this.#fields.map(([name, value]): [string, FormValue] => [name, value]).values();
  }

  get [Symbol.toStringTag](): string {
    return 'FormData';
  }
}

/** Writes a form as `multipart/form-data` (RFC 7578). */
export function encodeForm(form: HandlerFormData): { body: Uint8Array<ArrayBuffer>; contentType: string } {
  const boundary = `----form${crypto.randomUUID().replaceAll('-', '')}`;
  const parts = Array.from(HandlerFormData.prototype.entries.call(form), ([name, value]) => {
    const disposition = `Content-Disposition: form-data; name="${escapeName(name)}"`;
    const head =
      value instanceof HandlerBlob
        ? `${disposition}; filename="${escapeName(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}`
        : disposition;
    return [bytesOf(`--${boundary}\r\n${head}\r\n\r\n`), bytesOf(value), bytesOf('\r\n')];
  });
  return {
    body: joinBytes([...parts.flat(), bytesOf(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function formValue(value: unknown, fileName: unknown): FormValue {
  if (!(value instanceof HandlerBlob)) return String(value);
  if (value instanceof HandlerFile && fileName === undefined) return value;
  return new HandlerFile([value], fileName ?? 'blob', { type: value.type });
}

function escapeName(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}
