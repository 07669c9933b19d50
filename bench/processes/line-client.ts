import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Measurement } from '../statistics/comparison.ts';
import { processorTime } from './processor-time.ts';

/**
 * An MCP client that does next to nothing: it writes lines of JSON-RPC and looks for line ends. What a server takes is then
 * what is measured, not what a client takes.
 */
export interface LineClient {
  /** Sends a request and gives back its result; throws where the answer is an error. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /**
   * Calls a tool again and again, so many at a time, and gives back calls a second and the server's processor time for each.
   * The answers are only looked at for errors.
   */
  callTool(params: object, load: { concurrency: number; milliseconds: number }): Promise<Measurement>;
  /** Milliseconds that the server's process used so far; undefined where the system does not tell. */
  processorTime(): number | undefined;
  close(): Promise<void>;
}

/** A process that reads and writes lines. */
interface Wire {
  write(text: string): void;
  /** Takes what the process writes from now on. */
  listen(onData: (chunk: Buffer) => void, onFailure: (error: Error) => void): void;
  processorTime(): number | undefined;
  close(): Promise<void>;
}

const lineEnd = 0x0a;

/** Starts a server with this Node and says hello (MCP specification, lifecycle). */
export async function connectToServer(args: readonly string[]): Promise<LineClient> {
  const wire = startProcess(args);
  const client = createClient(wire);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'schemakit-bench', version: '1.0.0' },
  });
  wire.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return client;
}

function startProcess(args: readonly string[]): Wire {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env: {} });
  const ended = once(child, 'exit');
  let lastWords = '';
  let onData: ((chunk: Buffer) => void) | undefined;
  let onFailure: ((error: Error) => void) | undefined;
  child.stdout.on('data', (chunk: Buffer) => onData?.(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-2000);
  });
  child.on('close', (code) => onFailure?.(new Error(`${args.join(' ')} ended with ${code}\n${lastWords}`)));
  child.stdin.on('error', (error) => onFailure?.(error));
  return {
    write: (text) => void child.stdin.write(text),
    listen(data, failure) {
      onData = data;
      onFailure = failure;
    },
    processorTime: () => processorTime(child.pid),
    async close() {
      onFailure = undefined;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function createClient(wire: Wire): LineClient {
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
    callTool(params, { concurrency, milliseconds }) {
      const tail = `,"method":"tools/call","params":${JSON.stringify(params)}}\n`;
      const send = (count: number): void => {
        let lines = '';
        for (let sent = 0; sent < count; sent += 1) lines += `{"jsonrpc":"2.0","id":${++id}${tail}`;
        wire.write(lines);
      };
      return new Promise((resolve, reject) => {
        const cpuBefore = wire.processorTime();
        const begun = performance.now();
        let open = concurrency;
        let answered = 0;
        wire.listen((chunk) => {
          const lines = countLines(chunk);
          answered += lines;
          open -= lines;
          const elapsed = performance.now() - begun;
          if (hasFailure(chunk)) reject(new Error(`a call failed: ${chunk.toString().slice(0, 500)}`));
          else if (elapsed < milliseconds) {
            open += lines;
            if (lines > 0) send(lines);
          } else if (open === 0) {
            const cpuAfter = wire.processorTime();
            const isKnown = cpuBefore !== undefined && cpuAfter !== undefined;
            resolve({
              value: (1000 * answered) / elapsed,
              cpu: isKnown ? (cpuAfter - cpuBefore) / answered : undefined,
            });
          }
        }, reject);
        send(concurrency);
      });
    },
    processorTime: wire.processorTime,
    close: wire.close,
  };
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let end = chunk.indexOf(lineEnd); end >= 0; end = chunk.indexOf(lineEnd, end + 1)) count += 1;
  return count;
}

/** A failed call is a result with `isError`; a failed request an error of JSON-RPC. */
function hasFailure(chunk: Buffer): boolean {
  return chunk.includes('"isError":true') || chunk.includes('"error":{');
}
