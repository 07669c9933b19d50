import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';

/** A message in place of another, and how the response changes with it if nothing was sent yet. */
export interface Replaced {
  message: unknown;
  status?: number;
  headers?: Record<string, string>;
}

export interface HeldOptions {
  /** Receives each JSON-RPC message that a handler sends. The client gets what this resolves to. */
  replace(message: object): Promise<Replaced>;
  /** Whether only event streams are held; other bodies pass. */
  isStreamOnly?: boolean;
  /** What to send in place of a body that is not JSON. Default: the body. */
  unreadable?: (() => Replaced) | undefined;
  /** Receives the data of frames that are not JSON. */
  onText?: (text: string) => void;
}

/** An empty line. Lines end with CRLF, LF or CR. */
const frameEnd = /(?<=(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n)))(?=[\s\S])/;

/** Holds the response of a handler until each message in it may be sent. Frames of an event stream pass one by one, in order. */
export function holdResponse(
  response: ServerResponse,
  { replace, isStreamOnly = false, unreadable, onText }: HeldOptions,
): void {
  const { write, end, writeHead, flushHeaders } = response;
  /** What the handler has written. */
  let held: PassThrough | undefined;
  const hidden = isStreamOnly ? undefined : hideClose(response);
  const client = hidden ?? response;

  async function pass(written: PassThrough): Promise<void> {
    const isStream = isEventStream(response);
    const decoder = new TextDecoder();
    const chunks: Buffer[] = [];
    let rest = '';
    for await (const chunk of written as AsyncIterable<Buffer>) {
      if (!isStream) chunks.push(chunk);
      else {
        const frames = (rest + decoder.decode(chunk, { stream: true })).split(frameEnd);
        rest = frameEnd.test(`${frames.at(-1)} `) ? '' : (frames.pop() ?? '');
        for (const frame of frames) await passFrame(frame);
      }
    }
    if (!isStream) return passBody(Buffer.concat(chunks));
    if (rest !== '') await passFrame(rest);
    finish();
  }

  function finish(data?: Buffer): void {
    if (client.destroyed) return;
    // Node.js writes the head by calling `writeHead`.
    response.writeHead = writeHead;
    end.call(response, data, 'utf8');
  }

  async function passFrame(frame: string): Promise<void> {
    const lines = frame.split(/\r\n|\n|\r/);
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''));
    const value = parsed(data.join('\n'));
    if (value === undefined) onText?.(data.join('\n'));
    const replaced = value && (await replaceAll(value));
    if (client.destroyed) return;
    setHead({ headers: replaced?.headers });
    const fields = lines.filter((line) => line !== '' && !line.startsWith('data:'));
    const shown = replaced ? `${[...fields, `data: ${JSON.stringify(replaced.message)}`].join('\n')}\n\n` : frame;
    response.writeHead = writeHead;
    write.call(response, shown, 'utf8');
  }

  async function passBody(body: Buffer): Promise<void> {
    const value = parsed(body.toString());
    // 202: the answer comes on the stream of the session.
    const isAnswer = response.statusCode < 400 && response.statusCode !== 202;
    const isRefused = value === undefined && body.length > 0 && isAnswer;
    const replaced = value !== undefined ? await replaceAll(value) : isRefused ? unreadable?.() : undefined;
    if (client.destroyed) return;
    setHead(replaced);
    const bytes = replaced === undefined ? body : Buffer.from(JSON.stringify(replaced.message));
    if (replaced !== undefined && !response.headersSent) {
      response.setHeader('Content-Type', 'application/json');
      response.removeHeader('Content-Encoding');
      response.setHeader('Content-Length', bytes.length);
    }
    finish(bytes);
  }

  async function replaceAll(value: object): Promise<Replaced> {
    if (!Array.isArray(value)) return replace(value);
    const message = await Promise.all(value.map(async (part) => (await replace(Object(part))).message));
    return { message };
  }

  function setHead({ status, headers = {} }: { [Key in 'status' | 'headers']?: Replaced[Key] | undefined } = {}): void {
    if (response.headersSent) return;
    if (status !== undefined) response.statusCode = status;
    for (const [name, text] of Object.entries(headers)) response.setHeader(name, text);
  }

  /** Where a handler writes to: the response itself if it is one that is not held, which is then as it was. */
  function target(): PassThrough | ServerResponse {
    if (held === undefined && isStreamOnly && !isEventStream(response))
      return Object.assign(response, { write, end, writeHead, flushHeaders });
    if (held !== undefined) return held;
    held = new PassThrough().on('drain', () => response.emit('drain')).on('error', () => {});
    pass(held)
      .finally(() => hidden?.show())
      .catch((error) => response.destroy(error));
    return held;
  }

  Object.assign(response, {
    writeHead(status: number, ...head: unknown[]) {
      response.statusCode = status;
      for (const [name, value = ''] of Object.entries(headersOf(response, head))) response.setHeader(name, value);
      return response;
    },
    flushHeaders() {
      if (!isStreamOnly) return;
      response.writeHead = writeHead;
      flushHeaders.call(response);
    },
    write: (...written: Parameters<PassThrough['write']>) => target().write(...written),
    end(...written: Parameters<PassThrough['end']>) {
      target().end(...written);
      return response;
    },
  });
}

const maxHiddenMs = 60 * 60_000;

/**
 * Hides from a handler that the client has left, until `show` or for an hour: what is paid for runs to its end, and its answer is kept
 * for the same payment.
 */
function hideClose(response: ServerResponse) {
  const { emit } = response;
  let isHidden = true;
  const client = {
    destroyed: response.destroyed,
    show() {
      if (isHidden && client.destroyed) queueMicrotask(() => emit.call(response, 'close'));
      isHidden = false;
    },
  };
  setTimeout(() => client.show(), maxHiddenMs).unref();
  Object.defineProperty(response, 'destroyed', {
    get: () => client.destroyed && !isHidden,
    set: (isDestroyed: boolean) => {
      client.destroyed = isDestroyed;
    },
  });
  response.emit = (event: string, ...args: unknown[]) =>
    (event !== 'close' || !isHidden) && emit.call(response, event, ...args);
  return client;
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).includes('text/event-stream');
}

/** The headers in the arguments of `writeHead`, whose forms Node.js knows. It tells them only where others were set before. */
function headersOf({ req }: ServerResponse, head: readonly unknown[]): OutgoingHttpHeaders {
  const other = new ServerResponse(req).setHeader(marker, '');
  const given = head.map((part) => (Array.isArray(part) ? part.flat() : part));
  other.writeHead(200, ...(given as [OutgoingHttpHeaders]));
  const { [marker]: _, ...headers } = other.getHeaders();
  return headers;
}

const marker = 'x-marker';

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
