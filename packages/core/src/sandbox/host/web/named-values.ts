/** What `Headers` and `FormData` share: names with values, in an order. */
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
