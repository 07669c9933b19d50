/** The part that `Headers` and `FormData` have in common. */
export abstract class NamedValues<Value> {
  abstract entries(): ArrayIterator<[string, Value]>;

  keys(): ArrayIterator<string> {
    return Array.from(this.entries(), ([name]) => name).values();
  }

  values(): ArrayIterator<Value> {
    return Array.from(this.entries(), ([, value]) => value).values();
  }

  forEach(callback: (value: Value, name: string, self: this) => void, self?: unknown): void {
    for (const [name, value] of this.entries()) Reflect.apply(callback, self, [value, name, this]);
  }

  [Symbol.iterator](): ArrayIterator<[string, Value]> {
    return this.entries();
  }
}

/** `Headers` of the Fetch standard, as far as it concerns fields with one value. */
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
