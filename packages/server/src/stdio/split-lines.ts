const newline = 10;

/**
 * Splits what comes in into lines.
 *
 * @param options.maxBytes How long a line may be. One that is longer is left out.
 * @returns What takes the next bytes.
 */
export function splitLines({
  maxBytes,
  onLine,
  onTooLong,
}: {
  maxBytes: number;
  onLine: (line: string) => void;
  onTooLong: () => void;
}): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;

  function take(part: Buffer): void {
    const wasTooLong = length > maxBytes;
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else if (!wasTooLong) {
      parts = [];
      onTooLong();
    }
  }

  function endLine(): void {
    const [first] = parts;
    const line = parts.length === 1 ? first : Buffer.concat(parts);
    const isWhole = length <= maxBytes;
    parts = [];
    length = 0;
    if (isWhole && line !== undefined) onLine(line.toString());
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}
