/** What a module exports, in words that complete "the file has no export named main; …": `it exports list, skill`. */
export function describeExports(names: readonly string[]): string {
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`;
}
