/**
 * Makes the properties of a prototype or class unchangeable, and lets what inherits from it still have its own: each becomes
 * an accessor whose setter defines the property on the inheriting object. On a merely frozen prototype,
 * `this._events = …` would throw in every instance. (SES does the same for the prototypes of the language.)
 *
 * Properties that cannot be reconfigured stay as they are; nothing can be added.
 */
export function lockOverridable(owner: object): void {
  for (const key of Reflect.ownKeys(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor === undefined || !descriptor.configurable) continue;
    Object.defineProperty(owner, key, lockedDescriptor(owner, key, descriptor));
  }
  Object.preventExtensions(owner);
}

function lockedDescriptor(owner: object, key: PropertyKey, descriptor: PropertyDescriptor): PropertyDescriptor {
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
