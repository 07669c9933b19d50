import { NamedValues } from './named-values.ts';

/** Header fields as handlers see them: the part of the Fetch standard's `Headers` that holds for fields of one value. */
export class HandlerHeaders extends NamedValues<string> {
  readonly #fields = new Map<string, string>();

  constructor(init?: unknown) {
    super();
    for (const [name, value] of entriesOf(init)) this.append(name, value);
  }

  append(name: unknown, value: unknown): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${String(value)}`);
  }

  set(name: unknown, value: unknown): void {
    this.#fields.set(String(name).toLowerCase(), String(value).trim());
  }

  get(name: unknown): string | null {
    return this.#fields.get(String(name).toLowerCase()) ?? null;
  }

  has(name: unknown): boolean {
    return this.#fields.has(String(name).toLowerCase());
  }

  delete(name: unknown): void {
    this.#fields.delete(String(name).toLowerCase());
  }

  getSetCookie(): string[] {
    const value = this.get('set-cookie');
    return value === null ? [] : [value];
  }

  entries(): ArrayIterator<[string, string]> {
    return [...this.#fields].sort(([left], [right]) => (left < right ? -1 : 1)).values();
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }
}

function entriesOf(init: unknown): [unknown, unknown][] {
  if (init === undefined || init === null) return [];
  if (init instanceof HandlerHeaders) return [...init.entries()];
  if (typeof init !== 'object') throw new TypeError('Headers take an object or a list of pairs');
  if (!(Symbol.iterator in init)) return Object.entries(init);
  return Array.from(init as Iterable<unknown>, (pair) => {
    if (!Array.isArray(pair)) throw new TypeError('Each header is a pair of name and value');
    return [pair[0], pair[1]];
  });
}
