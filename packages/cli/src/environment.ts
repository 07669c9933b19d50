/** The environment as server parameters, without what is empty: an empty secret is a missing one. */
export function environment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
