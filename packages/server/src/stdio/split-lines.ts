import type { LineEnds } from './long-line-id.ts';

const newline = 10;
// How much is kept of each end of a line that is left out.
const endBytes = 1024;

/**
 * Splits what comes in into lines.
 *
 * @param options.maxBytes How long a line may be. One that is longer is left out, and its ends are told.
 * @returns What takes the next bytes.
 */
export function splitLines({
  maxBytes,
  onLine,
  onTooLong,
}: {
  maxBytes: number;
  onLine: (line: string) => void;
  onTooLong: (ends: LineEnds) => void;
}): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let head = '';
  let tail = Buffer.alloc(0);

  function take(part: Buffer): void {
    const wasTooLong = length > maxBytes;
    length += part.length;
    if (length <= maxBytes) return void parts.push(part);
    const known = wasTooLong ? [tail, part.subarray(-endBytes)] : [...parts, part];
    const bytes = Buffer.concat(known);
    if (!wasTooLong) head = bytes.toString('utf8', 0, endBytes);
    // A copy, since the rest is not to be kept with it.
    tail = Buffer.from(bytes.subarray(-endBytes));
    parts = [];
  }

  function endLine(): void {
    const [first] = parts;
    const line = parts.length === 1 ? first : Buffer.concat(parts);
    const isWhole = length <= maxBytes;
    parts = [];
    length = 0;
    if (!isWhole) onTooLong({ head, tail: tail.toString() });
    else if (line !== undefined) onLine(line.toString());
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
