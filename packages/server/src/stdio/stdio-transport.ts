import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type RequestId, type Transport } from '@modelcontextprotocol/server';
import type { MessageWriter } from '../mcp/message-writer.ts';
import { isPlainRequest } from './is-plain-request.ts';
import { longLineId } from './long-line-id.ts';
import { splitLines } from './split-lines.ts';
import { unanswered } from './unanswered.ts';

/** Messages over standard input and output, each on a line of its own (MCP specification, stdio). */
export interface StdioTransport extends Transport {
  /** Resolves when every request has its answer, at the latest after `timeoutMs` milliseconds. */
  idle(timeoutMs: number): Promise<void>;
}

const maxMegabytes = 10;

/**
 * The transport of a server. A line that is no message is answered with an error. Answers of one turn of the event loop are
 * gathered and written at once while `isBusy`: with many calls at a time, a system call for each answer takes a fifth of a
 * server's time. A single answer is written without waiting.
 *
 * @param options.onEnd Called when the client says nothing more. It may still read answers.
 */
export function createStdioTransport(
  input: Readable,
  output: Writable,
  { writer, isBusy, onEnd }: { writer: MessageWriter; isBusy: () => boolean; onEnd: () => void },
): StdioTransport {
  const waiting = unanswered();
  let isClosed = false;
  const write = (message: object) =>
    new Promise<void>((resolve, reject) => {
      output.write(writer.write(message, '\n'), (error) => (error ? reject(error) : resolve()));
    });
  const refuse = (code: number, message: string, id: RequestId | null = null) => {
    transport.onerror?.(new Error(message));
    write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  };
  const take = splitLines({
    maxBytes: maxMegabytes * 1024 * 1024,
    onTooLong: (ends) =>
      refuse(-32600, `A message is longer than ${maxMegabytes} MiB. It was not read.`, longLineId(ends)),
    onLine(line) {
      if (line.trim() === '') return;
      let value: unknown;
      let message: JSONRPCMessage;
      try {
        value = JSON.parse(line);
      } catch {
        return refuse(-32700, 'Parse error: a line of the input is no JSON.');
      }
      try {
        message = isPlainRequest(value) ? value : parseJSONRPCMessage(value);
      } catch {
        const { id, result, error } = Object(value) as Record<string, unknown>;
        // To answer what may be an answer could go on for ever.
        if (result !== undefined || error !== undefined) return;
        return refuse(-32600, notMessage, typeof id === 'string' || typeof id === 'number' ? id : null);
      }
      waiting.received(message);
      transport.onmessage?.(message);
    },
  });
  const onFailure = (error: Error) => {
    transport.onerror?.(error);
    void transport.close();
  };

  const transport: StdioTransport = {
    async start() {
      input.on('data', take).once('end', onEnd).once('error', onFailure);
      output.once('error', onFailure);
      if (input.readableEnded || input.destroyed) onEnd();
    },
    send(message) {
      if (isClosed) return Promise.reject(new Error('The connection has ended'));
      if (output.writableCorked === 0 && isBusy()) {
        output.cork();
        setImmediate(() => output.uncork());
      }
      const written = write(message);
      waiting.sent(message);
      return written;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      input.off('data', take).off('end', onEnd).pause();
      // Somebody who is gone cannot be told more.
      output.on('error', () => {});
      waiting.clear();
      transport.onclose?.();
    },
    idle: waiting.idle,
  };
  return transport;
}

const notMessage = 'Invalid Request: a line of the input is no JSON-RPC message. Batches are not taken.';
