const NativeURL = URL;
const NativeParams = URLSearchParams;

let openParams: (search: string, onChange: () => void) => HandlerURLSearchParams;
let renewParams: (params: HandlerURLSearchParams, search: string) => void;

/** The `URLSearchParams` of a VM. That of the engine takes nothing but text, and has no URL. */
export class HandlerURLSearchParams {
  #inner: InstanceType<typeof NativeParams>;
  #onChange: () => void = () => undefined;

  constructor(init: unknown = '') {
    const isText = typeof init !== 'object' || init === null;
    this.#inner = new NativeParams(isText ? String(init) : '');
    if (!isText) for (const [name, value] of pairsOf(init)) this.#inner.append(name, value);
  }

  static {
    openParams = (search, onChange) => {
      const params = new HandlerURLSearchParams(search);
      params.#onChange = onChange;
      return params;
    };
    renewParams = (params, search) => {
      params.#inner = new NativeParams(search);
    };
  }

  get size(): number {
    return this.#inner.size;
  }

  append(name: unknown, value: unknown): void {
    this.#inner.append(String(name), String(value));
    this.#onChange();
  }

  set(name: unknown, value: unknown): void {
    this.#inner.set(String(name), String(value));
    this.#onChange();
  }

  delete(name: unknown, value?: unknown): void {
    const left = [...this].filter(
      ([key, each]) => key !== String(name) || (value !== undefined && each !== String(value)),
    );
    this.#inner = new NativeParams('');
    for (const [key, each] of left) this.#inner.append(key, each);
    this.#onChange();
  }

  sort(): void {
    this.#inner.sort();
    this.#onChange();
  }

  get(name: unknown): string | null {
    return this.#inner.get(String(name));
  }

  getAll(name: unknown): string[] {
    return this.#inner.getAll(String(name));
  }

  has(name: unknown, value?: unknown): boolean {
    return value === undefined ? this.#inner.has(String(name)) : this.getAll(name).includes(String(value));
  }

  forEach(callback: (value: string, name: string, params: HandlerURLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this) Reflect.apply(callback, self, [value, name, this]);
  }

  entries(): ArrayIterator<[string, string]> {
    return Array.from(this.#inner.entries()).values();
  }

  keys(): ArrayIterator<string> {
    return Array.from(this.#inner.keys()).values();
  }

  values(): ArrayIterator<string> {
    return Array.from(this.#inner.values()).values();
  }

  toString(): string {
    return this.#inner.toString();
  }

  [Symbol.iterator](): ArrayIterator<[string, string]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return 'URLSearchParams';
  }
}

function pairsOf(init: object): [string, string][] {
  if (!(Symbol.iterator in init)) return Object.entries(init).map(([name, value]) => [name, String(value)]);
  return Array.from(init as Iterable<unknown>, (pair) => {
    const [name, value, ...more] = Array.from(pair as Iterable<unknown>);
    if (value === undefined || more.length > 0)
      throw new TypeError('Each query pair must be an iterable [name, value] tuple');
    return [String(name), String(value)];
  });
}

/** The `URL` of a VM. That of the engine has no `searchParams`. */
export class HandlerURL {
  readonly #inner: InstanceType<typeof NativeURL>;
  #params: HandlerURLSearchParams | undefined;

  constructor(url: unknown, base?: unknown) {
    this.#inner = base === undefined ? new NativeURL(String(url)) : new NativeURL(String(url), String(base));
  }

  static canParse(url: unknown, base?: unknown): boolean {
    return HandlerURL.parse(url, base) !== null;
  }

  static parse(url: unknown, base?: unknown): HandlerURL | null {
    try {
      return new HandlerURL(url, base);
    } catch {
      return null;
    }
  }

  get searchParams(): HandlerURLSearchParams {
    this.#params ??= openParams(this.#inner.search, () => {
      this.#inner.search = String(this.#params);
    });
    return this.#params;
  }

  get origin(): string {
    return this.#inner.origin;
  }

  get href(): string {
    return this.#inner.href;
  }

  set href(value: unknown) {
    this.#inner.href = String(value);
    this.#renew();
  }

  get search(): string {
    return this.#inner.search;
  }

  set search(value: unknown) {
    this.#inner.search = String(value);
    this.#renew();
  }

  get protocol(): string {
    return this.#inner.protocol;
  }

  set protocol(value: unknown) {
    this.#inner.protocol = String(value);
  }

  get username(): string {
    return this.#inner.username;
  }

  set username(value: unknown) {
    this.#inner.username = String(value);
  }

  get password(): string {
    return this.#inner.password;
  }

  set password(value: unknown) {
    this.#inner.password = String(value);
  }

  get host(): string {
    return this.#inner.host;
  }

  set host(value: unknown) {
    this.#inner.host = String(value);
  }

  get hostname(): string {
    return this.#inner.hostname;
  }

  set hostname(value: unknown) {
    this.#inner.hostname = String(value);
  }

  get port(): string {
    return this.#inner.port;
  }

  set port(value: unknown) {
    this.#inner.port = String(value);
  }

  get pathname(): string {
    return this.#inner.pathname;
  }

  set pathname(value: unknown) {
    this.#inner.pathname = String(value);
  }

  get hash(): string {
    return this.#inner.hash;
  }

  set hash(value: unknown) {
    this.#inner.hash = String(value);
  }

  toString(): string {
    return this.#inner.href;
  }

  toJSON(): string {
    return this.#inner.href;
  }

  get [Symbol.toStringTag](): string {
    return 'URL';
  }

  #renew(): void {
    if (this.#params !== undefined) renewParams(this.#params, this.#inner.search);
  }
}
