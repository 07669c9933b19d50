import { Writable } from 'node:stream';

/**
 * A stream that gathers what is written in one turn of the event loop and writes it at once: with many answers at a time, one
 * system call for each of them takes a fifth of a server's time.
 */
export function batchedOutput(target: Writable): Writable {
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, callback) => void target.write(chunk, callback),
    writev: (chunks, callback) => void target.write(chunks.map(({ chunk }) => String(chunk)).join(''), callback),
  });
  const write = output.write.bind(output) as Writable['write'];
  output.write = ((...args: Parameters<Writable['write']>) => {
    if (output.writableCorked === 0) {
      output.cork();
      setImmediate(() => output.uncork());
    }
    return write(...args);
  }) as Writable['write'];
  // Each answer that waits for room listens; there may be as many as there are calls.
  return output.setMaxListeners(0);
}
