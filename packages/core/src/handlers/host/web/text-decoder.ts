/** The `TextDecoder` of handlers. That of Node.js shows the converter that it keeps inside. */
export class HandlerTextDecoder {
  readonly #inner: InstanceType<typeof TextDecoder>;

  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }) {
    this.#inner = new TextDecoder(encoding, options);
  }

  get encoding(): string {
    return this.#inner.encoding;
  }

  get fatal(): boolean {
    return this.#inner.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#inner.ignoreBOM;
  }

  decode(input?: NodeJS.ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string {
    return this.#inner.decode(input, options);
  }

  get [Symbol.toStringTag](): string {
    return 'TextDecoder';
  }
}
