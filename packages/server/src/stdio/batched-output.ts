import { Writable } from 'node:stream';

/**
 * A stream that gathers the answers of one turn of the event loop and writes them at once while `isBusy`: with many calls at a
 * time, a system call for each answer takes a fifth of a server's time. A single answer is written without waiting.
 */
export function batchedOutput(target: Writable, isBusy: () => boolean): Writable {
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, callback) => void target.write(chunk, callback),
    writev: (chunks, callback) => void target.write(chunks.map(({ chunk }) => String(chunk)).join(''), callback),
  });
  const write = output.write.bind(output) as Writable['write'];
  output.write = ((...args: Parameters<Writable['write']>) => {
    if (output.writableCorked === 0 && isBusy()) {
      output.cork();
      setImmediate(() => output.uncork());
    }
    return write(...args);
  }) as Writable['write'];
  // Each answer that waits for room listens; there may be as many as there are calls.
  return output.setMaxListeners(0);
}
