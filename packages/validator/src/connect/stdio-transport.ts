import { existsSync } from 'node:fs';
import { deserializeMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { plainText } from '../findings/plain-text.ts';
import type { StdioServer } from '../input/start-options.ts';
import { lineReader } from './line-reader.ts';
import { type StdioChild, startChild } from './stdio-child.ts';

const MAX_LINE = 8 * 1024 * 1024;
/** For a whole run; what servers honestly have to say is less. */
const MAX_TOTAL = 64 * 1024 * 1024;
/** The last words of a server tell why it ended. */
const MAX_LAST_WORDS = 2000;

/**
 * Talks to a server over its standard input and output. The SDK's own transport waits for helpers that hold the pipes, ends nothing but the first process, and
 * keeps no last words.
 */
export function stdioTransport(server: StdioServer): Transport {
  const reader = lineReader({ maxLine: MAX_LINE, maxTotal: MAX_TOTAL });
  let child: StdioChild | undefined;
  let lastWords = '';
  let failure: Error | undefined;
  // The client takes a transport with these two for one that talks to a process, and then waits for a silent server in another way.
  const transport: Transport & { pid: null; stderr: null } = { start, send, close, pid: null, stderr: null };

  function start(): Promise<void> {
    const started = startChild(server);
    child = started;
    const { process } = started;
    process.stderr.on('data', (chunk: Buffer) => {
      lastWords = (lastWords + chunk.toString('utf8')).slice(-MAX_LAST_WORDS);
    });
    process.stdout.on('data', take);
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', () => {});
    process.once('exit', (code, signal) => {
      // What it wrote last is on its way still, unless somebody else holds the pipe.
      const told = (): void => fail(endedText(code, signal));
      if (process.stderr.closed) told();
      else {
        const timer = setTimeout(told, 200);
        process.stderr.once('close', () => {
          clearTimeout(timer);
          told();
        });
      }
    });
    return new Promise((resolve, reject) => {
      process.once('spawn', resolve);
      process.once('error', (error) => reject(new Error(unstartedText(error), { cause: error })));
    });
  }

  /** The system says of a command and of a folder that are not there the same. */
  function unstartedText(error: NodeJS.ErrnoException): string {
    const { command, cwd } = server;
    if (cwd !== undefined && !existsSync(cwd)) return `the folder ${plainText(cwd, 200)} (\`cwd\`) is not there`;
    if (error.code === 'ENOENT') return `there is no command ${plainText(command, 200)}`;
    return error.code === 'EACCES' ? `${plainText(command, 200)} may not be run` : error.message;
  }

  function endedText(code: number | null, signal: NodeJS.Signals | null): string {
    const words = plainText(lastWords.trim().slice(-300), 300);
    const how = code === null ? `by ${signal}` : `with exit code ${code}`;
    return `the command ended ${how}${words === '' ? '' : `; it wrote: ${words}`}`;
  }

  function take(chunk: Buffer): void {
    try {
      for (const line of reader.read(chunk)) receive(line);
    } catch (error) {
      fail((error as Error).message);
    }
  }

  function receive(line: string): void {
    let message: ReturnType<typeof deserializeMessage>;
    try {
      message = deserializeMessage(line);
    } catch {
      // Servers write to their output what belongs into a log.
      return;
    }
    // Nothing here is waiting for notifications, and a server may send any number of them.
    if (!('id' in message)) return;
    transport.onmessage?.(message);
  }

  function fail(text: string): void {
    if (failure !== undefined) return;
    failure = new Error(text);
    transport.onerror?.(failure);
    void close();
  }

  async function send(message: Parameters<Transport['send']>[0]): Promise<void> {
    const { stdin } = child?.process ?? {};
    if (failure !== undefined) throw failure;
    if (stdin === undefined || !stdin.writable) throw new Error('the command does not listen any more');
    // Whoever does not read must not hold up the run: its answers will not come, and that is told.
    stdin.write(serializeMessage(message));
  }

  async function close(): Promise<void> {
    await child?.end();
    const told = transport.onclose;
    delete transport.onclose;
    told?.();
  }

  return Object.defineProperty(transport, 'failure', { get: () => failure });
}

/** Why the server's output ended, if it did. */
export function failureOf(transport: Transport): Error | undefined {
  return 'failure' in transport && transport.failure instanceof Error ? transport.failure : undefined;
}
