import { bytesOf, HandlerBlob, HandlerFile, joinBytes } from './blob.ts';

type FormValue = string | HandlerFile;

/** A form to send, as in the Fetch standard. */
export class HandlerFormData {
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

  forEach(callback: (value: FormValue, name: string, form: HandlerFormData) => void, self?: unknown): void {
    for (const [name, value] of [...this.#fields]) Reflect.apply(callback, self, [value, name, this]);
  }

  entries(): ArrayIterator<[string, FormValue]> {
    return this.#fields.map(([name, value]): [string, FormValue] => [name, value]).values();
  }

  keys(): ArrayIterator<string> {
    return this.#fields.map(([name]) => name).values();
  }

  values(): ArrayIterator<FormValue> {
    return this.#fields.map(([, value]) => value).values();
  }

  [Symbol.iterator](): ArrayIterator<[string, FormValue]> {
    return this.entries();
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
