/** Entries as the text of a JSON array, and what is needed to read one of them alone. */
export interface JsonEntries {
  /** In UTF-8. */
  json: Uint8Array;
  /** How many bytes each entry has. */
  sizes: number[];
}

export function writeEntries(entries: readonly unknown[]): JsonEntries {
  const texts = entries.map((entry) => JSON.stringify(entry));
  return { json: Buffer.from(`[${texts.join(',')}]`), sizes: texts.map((text) => Buffer.byteLength(text)) };
}

/** Gives what reads the entry at an index. */
export function entryReader<Entry>({ json, sizes }: JsonEntries): (index: number) => Entry {
  const decoder = new TextDecoder();
  let next = '['.length;
  const starts = sizes.map((size) => {
    const start = next;
    next += size + ','.length;
    return start;
  });
  return (index) => {
    const start = starts[index] ?? 0;
    return JSON.parse(decoder.decode(json.subarray(start, start + (sizes[index] ?? 0))));
  };
}
