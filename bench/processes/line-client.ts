import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { LoadMeasurement } from '../statistics/comparison.ts';
import { type Load, loadMeasurement } from './measure-load.ts';
import { processorTime } from './processor-time.ts';
import { residentMemory } from './resident-memory.ts';

/**
 * An MCP client that does next to nothing: it writes JSON-RPC and looks for the ends of answers. What a server takes is then
 * what is measured, not what a client takes.
 */
export interface McpClient {
  /** Sends a request and gives back its result; throws where the answer is an error. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /**
   * Calls a tool again and again, so many at a time, and gives back calls a second, how long they took and the server's
   * processor time for each. The answers are only looked at for errors.
   */
  callTool(params: { name: string; arguments: object }, load: Load): Promise<LoadMeasurement>;
  /** Milliseconds that the server's process used so far; undefined where the system does not tell. */
  processorTime(): number | undefined;
  /** Megabytes of the server's process. */
  residentMemory(): number;
  close(): Promise<void>;
}

/** One over stdio. */
export interface LineClient extends McpClient {
  /** Sends a request and gives back the line of its answer as it came. */
  requestLine(method: string, params?: object): Promise<Buffer>;
}

/** A process that reads and writes lines. */
interface Wire {
  write(text: string): void;
  /** Takes what the process writes from now on. */
  listen(onData: (chunk: Buffer) => void, onFailure: (error: Error) => void): void;
  processorTime(): number | undefined;
  residentMemory(): number;
  close(): Promise<void>;
}

const lineEnd = 0x0a;

/** Starts a server with this Node and says hello (MCP specification, lifecycle). */
export async function connectToServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<LineClient> {
  const wire = startProcess(args, env);
  const client = createClient(wire);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'schemakit-bench', version: '1.0.0' },
  });
  wire.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return client;
}

function startProcess(args: readonly string[], env: Readonly<Record<string, string>>): Wire {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  const ended = once(child, 'exit');
  let lastWords = '';
  let onData: ((chunk: Buffer) => void) | undefined;
  let onFailure: ((error: Error) => void) | undefined;
  child.stdout.on('data', (chunk: Buffer) => onData?.(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-2000);
  });
  child.on('close', (code) => onFailure?.(new Error(`${args.join(' ')} ended with ${code}\n${lastWords}`)));
  for (const stream of [child.stdin, child.stdout]) stream.on('error', (error) => onFailure?.(error));
  return {
    write: (text) => void child.stdin.write(text),
    listen(data, failure) {
      onData = data;
      onFailure = failure;
    },
    processorTime: () => processorTime(child.pid),
    residentMemory: () => residentMemory(child.pid),
    async close() {
      onFailure = undefined;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function createClient(wire: Wire): LineClient {
  let id = 0;
  function requestLine(method: string, params: object = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      wire.listen((chunk) => {
        chunks.push(chunk);
        if (chunk.at(-1) === lineEnd) resolve(Buffer.concat(chunks));
      }, reject);
      wire.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    });
  }
  return {
    request: async (method, params) => resultIn(await requestLine(method, params)),
    requestLine,
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
        // Answers come in any order: when each call began, by its id.
        const first = id + 1;
        const starts: number[] = [];
        const durations: number[] = [];
        let open = concurrency;
        let rest = '';
        const begin = (count: number) => {
          const now = performance.now();
          for (let sent = 0; sent < count; sent += 1) starts.push(now);
          send(count);
        };
        wire.listen((chunk) => {
          const now = performance.now();
          const lines = (rest + chunk.toString('latin1')).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) durations.push(now - (starts[idOf(line) - first] ?? Number.NaN));
          open -= lines.length;
          const elapsed = now - begun;
          if (lines.some(isFailure)) reject(new Error(`a call failed: ${lines.join('\n').slice(0, 500)}`));
          else if (elapsed < milliseconds) {
            open += lines.length;
            if (lines.length > 0) begin(lines.length);
          } else if (open === 0) {
            resolve(loadMeasurement(durations, { elapsed, cpuBefore, cpuAfter: wire.processorTime() }));
          }
        }, reject);
        begin(concurrency);
      });
    },
    processorTime: wire.processorTime,
    residentMemory: wire.residentMemory,
    close: wire.close,
  };
}

/** The result in the line of an answer; throws where it is an error. */
export function resultIn(line: Buffer): Record<string, unknown> {
  const { error, result } = JSON.parse(line.toString());
  if (error) throw new Error(error.message);
  return result;
}

/** The id of an answer stands near its beginning or at its end. */
function idOf(line: string): number {
  const head = line.slice(0, 40).indexOf('"id":');
  const at = head === -1 ? line.lastIndexOf('"id":') : head;
  return Number.parseInt(line.slice(at + '"id":'.length), 10);
}

/** A failed call is a result with `isError`; a failed request an error of JSON-RPC. */
function isFailure(line: string): boolean {
  return line.includes('"isError":true') || line.includes('"error":{');
}
