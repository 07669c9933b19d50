import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { field } from '../findings/plain-object.ts';
import { plainText } from '../findings/plain-text.ts';
import type { StdioServer } from '../input/start-options.ts';
import { settlesWithin } from '../network/clock.ts';

const MAX_LINE = 8 * 1024 * 1024;
/** For a whole run; honest servers write less. */
const MAX_TOTAL = 64 * 1024 * 1024;
/** Of these, notifications and log lines. */
const MAX_IGNORED = 8 * 1024 * 1024;
/** The end of a server's stderr tells why it ended. */
const MAX_LAST_WORDS = 2000;
/** Time for a server to exit after its stdin was closed, and then after SIGTERM. SIGKILL follows. */
const CLEAN_UP_MS = 300;
const SIGTERM_MS = 300;
/** How long the rest of stderr may take after the process ended, if a helper still holds the pipe. */
const STDERR_MS = 200;

/** Only POSIX has process groups. */
const hasGroups = process.platform !== 'win32';

export interface StdioTransport extends Transport {
  /** Why the server's output ended, if it did. */
  failure(): Error | undefined;
  /** True if the process exited by itself, false if it is running or was killed for its output. */
  hasEndedItself(): boolean;
}

/**
 * Talks to a server over its standard input and output. The SDK's own transport ends only the first process, not the helpers
 * that it started, waits for helpers that hold the pipes, validates every notification, and does not keep stderr.
 */
export function stdioTransport(server: StdioServer): StdioTransport {
  const readLines = lineReader();
  let child: Child | undefined;
  let ignored = 0;
  let lastWords = '';
  let failure: Error | undefined;
  let hasEndedItself = false;
  // The client recognises a stdio transport by `pid` and `stderr`, and treats a server that does not answer differently there.
  const transport: StdioTransport & { pid: null; stderr: null } = {
    ...{ start, send, close, pid: null, stderr: null },
    failure: () => failure,
    hasEndedItself: () => hasEndedItself,
  };

  function start(): Promise<void> {
    child = startChild(server);
    const started = child.process;
    started.stderr.on('data', (chunk: Buffer) => {
      lastWords = (lastWords + chunk.toString('utf8')).slice(-MAX_LAST_WORDS);
    });
    started.stdout.on('data', receive);
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', () => {});
    started.once('exit', async (code, signal) => {
      hasEndedItself = failure === undefined;
      if (!started.stderr.closed) await settlesWithin(once(started.stderr, 'close'), STDERR_MS);
      fail(endedText(code, signal, lastWords));
    });
    return new Promise((resolve, reject) => {
      started.once('spawn', resolve);
      started.once('error', (error) => reject(new Error(unstartedText(error, server), { cause: error })));
    });
  }

  function receive(chunk: Buffer): void {
    try {
      for (const line of readLines(chunk)) {
        const message = answerIn(line);
        if (message !== undefined) transport.onmessage?.(message);
        else ignored += line.length;
        if (ignored > MAX_IGNORED)
          throw new Error(`the server wrote more than ${MAX_IGNORED / 1024 / 1024} MiB besides its answers`);
      }
    } catch (error) {
      fail((error as Error).message);
    }
  }

  function fail(text: string): void {
    if (failure !== undefined) return;
    failure = new Error(text);
    // Ignore all further output.
    child?.process.stdout.destroy();
    transport.onerror?.(failure);
    void close();
  }

  async function send(message: Parameters<Transport['send']>[0]): Promise<void> {
    if (failure !== undefined) throw failure;
    const { stdin } = child?.process ?? {};
    if (stdin === undefined || !stdin.writable) throw new Error('the command no longer reads its input');
    // Not awaited: a server that does not read must not block the run. Its missing answers are reported.
    stdin.write(serializeMessage(message));
  }

  async function close(): Promise<void> {
    await child?.end();
    const { onclose } = transport;
    delete transport.onclose;
    onclose?.();
  }

  return transport;
}

/** Why the server's output ended, if it did. More specific than the client's error about a closed connection. */
export function failureOf(transport: Transport): Error | undefined {
  return 'failure' in transport ? (transport as StdioTransport).failure() : undefined;
}

/** Splits output into complete lines. Throws if the output exceeds a limit. */
function lineReader(): (chunk: Buffer) => string[] {
  let pending: Buffer[] = [];
  let length = 0;
  let total = 0;
  return (chunk) => {
    total += chunk.length;
    if (total > MAX_TOTAL) throw new Error(`the server wrote more than ${MAX_TOTAL / 1024 / 1024} MiB`);
    const end = chunk.lastIndexOf(10);
    const lines =
      end === -1
        ? []
        : Buffer.concat([...pending, chunk.subarray(0, end)])
            .toString('utf8')
            .split('\n');
    const rest = chunk.subarray(end + 1);
    pending = end === -1 ? pending : [];
    length = (end === -1 ? length : 0) + rest.length;
    if (length > MAX_LINE) throw new Error(`the server wrote a line of more than ${MAX_LINE / 1024 / 1024} MiB`);
    pending.push(rest);
    return lines;
  };
}

/** A request or an answer of the server; undefined for everything else, which is not validated: that takes 20 times as long as parsing. */
function answerIn(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return field(value, 'id') === undefined ? undefined : parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

/** The system reports a missing command and a missing folder with the same code. */
function unstartedText(error: NodeJS.ErrnoException, { command, cwd }: StdioServer): string {
  if (cwd !== undefined && !existsSync(cwd)) return `the folder ${plainText(cwd, 200)} (\`cwd\`) does not exist`;
  if (error.code === 'ENOENT') return `command not found: ${plainText(command, 200)}`;
  return error.code === 'EACCES' ? `${plainText(command, 200)} is not executable` : error.message;
}

function endedText(code: number | null, signal: NodeJS.Signals | null, lastWords: string): string {
  const words = plainText(lastWords.trim().slice(-300), 300);
  const how = code === null ? `by ${signal}` : `with exit code ${code}`;
  return `the command ended ${how}${words === '' ? '' : `; it wrote: ${words}`}`;
}

interface Child {
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ends the process and its helpers, in about a second at most. */
  end(): Promise<void>;
}

/** Starts the server in a process group of its own: helpers that it leaves behind must end with it. */
function startChild({ command, args = [], cwd, env }: StdioServer): Child {
  const child = spawn(command, [...args], {
    env: { ...getDefaultEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: hasGroups,
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      if (hasGroups) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // It has already ended.
    }
  };
  const killAtExit = (): void => kill('SIGKILL');
  process.once('exit', killAtExit);
  // Not `close`, which waits until helpers close the pipes.
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  async function end(): Promise<void> {
    child.stdin.end();
    if (!(await settlesWithin(exited, CLEAN_UP_MS))) {
      kill('SIGTERM');
      await settlesWithin(exited, SIGTERM_MS);
    }
    kill('SIGKILL');
    process.off('exit', killAtExit);
    // Processes that left the group may hold the pipes open; this process must be able to end.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
  let ending: Promise<void> | undefined;
  return { process: child, end: () => (ending ??= end()) };
}
