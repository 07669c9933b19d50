/** Objects of a process that a schema must not be able to change. */
const watched: readonly (readonly [string, object])[] = [
  ['globalThis', globalThis],
  ['Object', Object],
  ['Object.prototype', Object.prototype],
  ['Function.prototype', Function.prototype],
  ['Array.prototype', Array.prototype],
  ['String.prototype', String.prototype],
  ['Promise', Promise],
  ['Promise.prototype', Promise.prototype],
  ['Error', Error],
  ['JSON', JSON],
  ['Buffer.prototype', Buffer.prototype],
  ['process.env', process.env],
];

// Node.js makes some globals when they are first asked for.
for (const key of Object.getOwnPropertyNames(globalThis)) Reflect.get(globalThis, key);

/** Remembers the properties of shared objects, and tells later which were changed. */
export function takeFingerprint(): () => string[] {
  const before = watched.map(([, object]) => Object.getOwnPropertyDescriptors(object));
  return () => watched.flatMap(([name, object], index) => differences(name, before[index] ?? {}, object));
}

function differences(name: string, before: Record<PropertyKey, PropertyDescriptor>, object: object): string[] {
  const keys = new Set([...Reflect.ownKeys(before), ...Reflect.ownKeys(object)]);
  return [...keys]
    .filter((key) => {
      const was = before[key];
      const is = Object.getOwnPropertyDescriptor(object, key);
      return !Object.is(was?.value, is?.value) || was?.get !== is?.get || was?.set !== is?.set;
    })
    .map((key) => `${name}.${String(key)}`);
}
