import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/**
 * An MCP client that does next to nothing: it writes lines of JSON-RPC and looks for line ends. What a server takes is then
 * what is measured, not what a client takes.
 */
export interface LineClient {
  /** Sends a request and gives back its result; throws where the answer is an error. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /**
   * Calls a tool again and again, so many at a time, and gives back how many calls a second were answered.
   * The answers are only looked at for errors.
   */
  callRate(params: object, load: { concurrency: number; milliseconds: number }): Promise<number>;
  close(): Promise<void>;
}

const lineEnd = 0x0a;

/** Starts a server with this Node and says hello (MCP specification, lifecycle). */
export async function connectToServer(args: readonly string[], env: Record<string, string> = {}): Promise<LineClient> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = once(child, 'exit');
  const wire = createWire(child);
  const client = createClient(wire);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'schemakit-bench', version: '1.0.0' },
  });
  wire.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    ...client,
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Lines to and from a process. */
interface Wire {
  write(text: string): void;
  /** Takes what the process writes from now on. */
  listen(onData: (chunk: Buffer) => void, onFailure: (error: Error) => void): void;
}

function createWire(child: ChildProcessByStdio<Writable, Readable, null>): Wire {
  const { stdin, stdout } = child;
  let onData: ((chunk: Buffer) => void) | undefined;
  let onFailure: ((error: Error) => void) | undefined;
  stdout.on('data', (chunk: Buffer) => onData?.(chunk));
  child.on('exit', (code) => onFailure?.(new Error(`the server ended with ${code}`)));
  stdin.on('error', (error) => onFailure?.(error));
  return {
    write: (text) => void stdin.write(text),
    listen(data, failure) {
      onData = data;
      onFailure = failure;
    },
  };
}

function createClient(wire: Wire): Pick<LineClient, 'request' | 'callRate'> {
  let id = 0;
  return {
    request(method, params = {}) {
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        wire.listen((chunk) => {
          chunks.push(chunk);
          if (chunk.at(-1) !== lineEnd) return;
          const answer = JSON.parse(Buffer.concat(chunks).toString());
          if (answer.error) reject(new Error(`${method}: ${answer.error.message}`));
          else resolve(answer.result);
        }, reject);
        wire.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
      });
    },
    callRate(params, { concurrency, milliseconds }) {
      const tail = `,"method":"tools/call","params":${JSON.stringify(params)}}\n`;
      const send = (count: number): void => {
        let lines = '';
        for (let sent = 0; sent < count; sent += 1) lines += `{"jsonrpc":"2.0","id":${++id}${tail}`;
        wire.write(lines);
      };
      return new Promise((resolve, reject) => {
        const begun = performance.now();
        let open = concurrency;
        let answered = 0;
        wire.listen((chunk) => {
          if (chunk.includes('"isError":true') || chunk.includes('"error":{')) {
            reject(new Error(`a call failed: ${chunk.toString().slice(0, 500)}`));
          }
          const lines = countLines(chunk);
          answered += lines;
          open -= lines;
          const elapsed = performance.now() - begun;
          if (elapsed < milliseconds) {
            open += lines;
            if (lines > 0) send(lines);
          } else if (open === 0) resolve((1000 * answered) / elapsed);
        }, reject);
        send(concurrency);
      });
    },
  };
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, end + 1)) count += 1;
  return count;
}
