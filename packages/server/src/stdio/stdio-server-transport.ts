import { Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport as SdkTransport } from '@modelcontextprotocol/server/stdio';
import { createInFlight } from '../in-flight.ts';

/** Standard input and output, one message per line (MCP specification, stdio). */
export interface StdioServerTransport extends Transport {
  /** Resolves when every request is answered, or after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
}

const maxMegabytes = 10;
const maxLineBytes = maxMegabytes * 1024 * 1024;
/** How much of each end of a too long line is kept to find its id. */
const endBytes = 1024;
const newline = 10;
/** When reading stops: this much is written that the client has not taken, or this many requests wait for their answers. */
const maxUnreadBytes = 1024 * 1024;
const maxUnanswered = 1000;

/**
 * Extends the transport of the SDK: answers an invalid line with an error, keeps the connection open after a too long line, and
 * leaves time to answer after the end of the input.
 *
 * @param options.onEnd Called at the end of the input. The client may still read answers.
 */
export function createStdioServerTransport(
  input: Readable,
  output: Writable,
  { onEnd }: { onEnd: () => void },
): StdioServerTransport {
  // The SDK gets one line at a time, so that `outcome` is known when `emit` returns.
  const lines = new Readable({ read() {} });
  const sdk = new SdkTransport(lines, output, { maxBufferSize: maxLineBytes });
  const { begin, idle } = createInFlight();
  const unanswered = new Map<RequestId, () => void>();
  let outcome: { isMessage?: true; error?: Error } = {};

  function untrack(id: RequestId | undefined): void {
    if (id === undefined) return;
    unanswered.get(id)?.();
    unanswered.delete(id);
    resume();
  }

  function track(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if (message.method === 'notifications/cancelled') untrack(message.params?.requestId as RequestId | undefined);
    // A subscription stays open until the connection ends.
    if (!('id' in message) || message.method === 'subscriptions/listen') return;
    untrack(message.id);
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
    // The SDK skips lines that are not JSON, and reports JSON that is not a message.
    if (outcome.error === undefined) {
      if (text.trim() !== '') refuse(-32700, 'Parse error: a line of the input is not JSON.');
      return;
    }
    const { id, result, error } = Object(JSON.parse(text)) as Record<string, unknown>;
    // Answering a response could loop forever.
    if (result !== undefined || error !== undefined) return;
    const message = 'Invalid Request: a line of the input is not a JSON-RPC message. Batches are not supported.';
    refuse(-32600, message, typeof id === 'string' || typeof id === 'number' ? id : null);
  }

  function onLongLine(head: Buffer, tail: Buffer): void {
    const message = `A message is longer than ${maxMegabytes} MiB and was not read.`;
    refuse(-32600, message, longLineId(head.toString(), tail.toString()));
  }

  const split = splitLines(onLine, onLongLine);
  const isFull = () => output.writableLength > maxUnreadBytes || unanswered.size > maxUnanswered;
  /** Stops reading while the client does not read its answers, which would fill the memory. */
  const onChunk = (chunk: Buffer) => {
    split(chunk);
    if (isFull()) input.pause();
  };
  const resume = () => {
    if (input.isPaused() && !isFull()) input.resume();
  };
  const onFailure = (error: Error) => {
    transport.onerror?.(error);
    void sdk.close();
  };
  const transport: StdioServerTransport = {
    idle,
    async start() {
      await sdk.start();
      output.on('drain', resume);
      input.on('data', onChunk).once('end', onEnd).once('error', onFailure);
      if (input.readableEnded || input.destroyed) onEnd();
    },
    send(message) {
      const sent = sdk.send(message);
      if (!('method' in message)) untrack(message.id);
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
    output.off('drain', resume);
    input.off('data', onChunk).off('end', onEnd).pause();
    for (const id of [...unanswered.keys()]) untrack(id);
    transport.onclose?.();
  };
  return transport;
}

/** Splits chunks into lines with their line ends. Keeps only the two ends of a too long line. */
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

/** The id of a request by its ends, where libraries write it. Null if it is not certain, or the message may be a response. */
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
    // A control character or an invalid escape.
    return {};
  }
}
