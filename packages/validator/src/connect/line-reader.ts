/** Cuts what arrives into lines without joining what it has already: one long line must not cost its square. */
export interface LineReader {
  /** The lines that a chunk completes. Throws where the server says more than is read. */
  read(chunk: Buffer): string[];
}

/** `maxLine` and `maxTotal` are in bytes. */
export function lineReader({ maxLine, maxTotal }: { maxLine: number; maxTotal: number }): LineReader {
  let parts: Buffer[] = [];
  let length = 0;
  let total = 0;
  return {
    read(chunk) {
      total += chunk.length;
      if (total > maxTotal) throw new Error(`the server wrote more than ${maxTotal / 1024 / 1024} MiB`);
      const lines: string[] = [];
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        lines.push(Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8'));
        parts = [];
        length = 0;
        from = end + 1;
      }
      length += chunk.length - from;
      if (length > maxLine) {
        parts = [];
        throw new Error(`the server wrote a line of more than ${maxLine / 1024 / 1024} MiB`);
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
      return lines;
    },
  };
}
