/** What layers saw is JSON of any shape, and reports may be older than this page: each value is checked before it is shown. */
export function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, name) ? Reflect.get(part, name) : undefined,
    value,
  );
}

export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(value: unknown, ...path: string[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: unknown, ...path: string[]): string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}

/** Whether a table has a text for a name that comes from elsewhere. */
export function isKey<T extends object>(name: string, table: T): name is string & keyof T {
  return Object.hasOwn(table, name);
}
