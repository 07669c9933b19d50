/** What stands in for a secret while answers are replayed. It can be a part of a host name, a path and a header. */
export function placeholderOf(name: string): string {
  const word = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `replayed-${word}-value`;
}
