import { Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createInFlight } from '../in-flight.ts';

/** A connection over standard input and output, one message to a line (MCP specification, stdio). */
export interface StdioTransport extends Transport {
  /** Resolves when every request has its answer, after `timeoutMs` milliseconds at the latest. */
  idle(timeoutMs: number): Promise<void>;
}

const maxMegabytes = 10;
const maxLineBytes = maxMegabytes * 1024 * 1024;
/** How much of each end of a line that is too long is kept to find its id. */
const endBytes = 1024;
const newline = 10;

/**
 * The transport of the SDK, and what it lacks: a line that is no message is answered with an error, a line that is too long does
 * not end the connection, and the end of the input leaves time to answer.
 *
 * @param options.onEnd Called at the end of the input. The client may still read answers.
 */
export function createStdioTransport(
  input: Readable,
  output: Writable,
  { onEnd }: { onEnd: () => void },
): StdioTransport {
  // The SDK gets one line at a time, so that it is known what became of each when `emit` returns.
  const lines = new Readable({ read() {} });
  const sdk = new StdioServerTransport(lines, output, { maxBufferSize: maxLineBytes });
  const { begin, idle } = createInFlight();
  const unanswered = new Map<RequestId, () => void>();
  let outcome: { isMessage?: true; error?: Error } = {};

  function settle(id: RequestId | undefined): void {
    if (id === undefined) return;
    unanswered.get(id)?.();
    unanswered.delete(id);
  }

  function track(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled') settle(message.params?.requestId as RequestId | undefined);
    // A subscription stays open until the connection ends.
    if (!('id' in message) || message.method === 'subscriptions/listen') return;
    settle(message.id);
    unanswered.set(message.id, begin());
  }

  function refuse(code: number, message: string, id: RequestId | null = null): void {
    transport.onerror?.(new Error(message));
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }

  function onLine(line: Buffer): void {
    outcome = {};
    lines.emit('data', line);
    if (outcome.isMessage) return;
    const text = line.toString();
    // The SDK skips what is not JSON, and reports JSON that is no message.
    if (outcome.error === undefined) {
      if (text.trim() !== '') refuse(-32700, 'Parse error: a line of the input is no JSON.');
      return;
    }
    const { id, result, error } = Object(JSON.parse(text)) as Record<string, unknown>;
    // Answering what may be a response could go on for ever.
    if (result !== undefined || error !== undefined) return;
    const message = 'Invalid Request: a line of the input is no JSON-RPC message. Batches are not taken.';
    refuse(-32600, message, typeof id === 'string' || typeof id === 'number' ? id : null);
  }

  function onLongLine(head: Buffer, tail: Buffer): void {
    const message = `A message is longer than ${maxMegabytes} MiB. It was not read.`;
    refuse(-32600, message, longLineId(head.toString(), tail.toString()));
  }

  const take = splitLines(onLine, onLongLine);
  const onFailure = (error: Error) => {
    transport.onerror?.(error);
    void sdk.close();
  };
  const transport: StdioTransport = {
    idle,
    async start() {
      await sdk.start();
      input.on('data', take).once('end', onEnd).once('error', onFailure);
      if (input.readableEnded || input.destroyed) onEnd();
    },
    send(message) {
      const sent = sdk.send(message);
      if (!('method' in message)) settle(message.id);
      return sent;
    },
    close: () => sdk.close(),
  };
  sdk.onmessage = (message) => {
    outcome.isMessage = true;
    track(message);
    transport.onmessage?.(message);
  };
  sdk.onerror = (error) => {
    outcome.error = error;
    if (outcome.isMessage) transport.onerror?.(error);
  };
  sdk.onclose = () => {
    input.off('data', take).off('end', onEnd).pause();
    for (const id of [...unanswered.keys()]) settle(id);
    transport.onclose?.();
  };
  return transport;
}

/** Splits chunks into lines, each with its line end. Of a line that is too long only the two ends are kept. */
function splitLines(
  onLine: (line: Buffer) => void,
  onLongLine: (head: Buffer, tail: Buffer) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;

  function append(part: Buffer): void {
    parts.push(part);
    length += part.length;
    if (length <= maxLineBytes) return;
    const known = Buffer.concat(parts);
    parts = [Buffer.from(known.subarray(0, endBytes)), Buffer.from(known.subarray(-endBytes))];
  }

  function endLine(): void {
    const [head = Buffer.alloc(0), tail = head] = parts;
    const line = parts.length === 1 || length > maxLineBytes ? head : Buffer.concat(parts);
    const isLong = length > maxLineBytes;
    parts = [];
    length = 0;
    if (isLong) onLongLine(head, tail);
    else onLine(line);
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      append(chunk.subarray(start, end + 1));
      endLine();
      start = end + 1;
    }
    if (start < chunk.length) append(chunk.subarray(start));
  };
}

const member = String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)`;
const firstMembers = new RegExp(String.raw`^\s*\{\s*(${member}(?:\s*,\s*${member})*)\s*,`);
const lastMembers = new RegExp(String.raw`,\s*(${member}(?:\s*,\s*${member})*)\s*\}\s*$`);

/**
 * The id of a request of which only the ends are known, where it is certain: libraries write it before the long parts of a
 * message or after them. Null for what may be a response, whose id is not one of the client's requests.
 */
export function longLineId(head: string, tail: string): RequestId | null {
  const { method, id } = { ...membersIn(firstMembers, head), ...membersIn(lastMembers, tail) };
  if (typeof method !== 'string') return null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null;
}

function membersIn(pattern: RegExp, text: string): { method?: unknown; id?: unknown } {
  const [, members] = pattern.exec(text) ?? [];
  if (members === undefined) return {};
  try {
    return JSON.parse(`{${members}}`);
  } catch {
    // A control character, or an escape that does not exist.
    return {};
  }
}
