/**
 * Makes properties unchangeable where they are, and lets what inherits them still have its own: each becomes an accessor whose
 * setter defines the property on the inheriting object. On a merely frozen prototype, `this._events = …` would throw in every
 * instance. (SES does the same for most prototypes of the language.) A property that cannot be reconfigured stays as it is.
 */
export function makeOverridable(owner: object, keys: readonly PropertyKey[] = Reflect.ownKeys(owner)): void {
  for (const key of keys) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor?.configurable !== true) continue;
    Object.defineProperty(owner, key, overridable(owner, key, descriptor));
  }
}

function overridable(owner: object, key: PropertyKey, descriptor: PropertyDescriptor): PropertyDescriptor {
  if (!('value' in descriptor)) return { configurable: false };
  const inherited: unknown = descriptor.value;
  return {
    get: () => inherited,
    set(this: object, value: unknown) {
      if (this === owner) throw new TypeError(`Cannot assign to ${String(key)}: it is locked`);
      Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: descriptor.enumerable ?? false,
    configurable: false,
  };
}
