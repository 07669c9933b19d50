/**
 * The same functions, which freeze what they throw: errors of Node.js have a class per code, and the prototypes of these would
 * be changeable by every schema that can provoke one. Values that are no functions, and classes, stay as they are.
 */
export function withFrozenErrors(functions: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(functions).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'function' || /^[A-Z]/.test(name)) return [name, value];
    return [name, (...args: unknown[]) => call(value, args)];
  });
  return Object.fromEntries(entries);
}

function call(work: object, args: unknown[]): unknown {
  try {
    return Reflect.apply(work as () => unknown, undefined, args);
  } catch (thrown) {
    throw withFrozenClass(thrown);
  }
}

/** What was thrown, with everything frozen that other errors like it share. */
export function withFrozenClass(thrown: unknown): unknown {
  if (thrown instanceof Error) harden(Object.getPrototypeOf(thrown));
  return thrown;
}
