import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

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

type Written = (error?: Error | null) => void;

/** Holds the response of a handler until each message in it may be sent. Frames of an event stream pass one by one, in order. */
export function holdResponse(
  response: ServerResponse,
  { replace, isStreamOnly = false, unreadable, onText }: HeldOptions,
): void {
  const { write, end, writeHead, flushHeaders } = response;
  const decoder = new TextDecoder();
  const chunks: Buffer[] = [];
  let form: 'stream' | 'body' | undefined;
  let rest = '';
  let work = Promise.resolve();

  function take(chunk: unknown, encoding: BufferEncoding): void {
    form ??= isEventStream(response) ? 'stream' : 'body';
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk as Uint8Array);
    if (form === 'body') chunks.push(bytes);
    else {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split(frameEnd);
      rest = frameEnd.test(`${frames.at(-1)} `) ? '' : (frames.pop() ?? '');
      for (const frame of frames) work = work.then(() => passFrame(frame)).catch(drop);
    }
  }

  // Node.js writes the head by calling `writeHead`.
  function send(data: string | Buffer): void {
    response.writeHead = writeHead;
    write.call(response, data, 'utf8');
  }

  function sendLast(data?: Buffer): void {
    response.writeHead = writeHead;
    end.call(response, data, 'utf8');
  }

  /** Whether it is a body that is not held. From then on, the response is as it was. */
  function isFree(): boolean {
    if (!isStreamOnly || form !== undefined || isEventStream(response)) return false;
    Object.assign(response, { write, end, writeHead, flushHeaders });
    return true;
  }

  function drop(error: unknown): void {
    response.destroy(error instanceof Error ? error : undefined);
  }

  async function passFrame(frame: string): Promise<void> {
    const lines = frame.split(/\r\n|\n|\r/);
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''));
    const value = parsed(data.join('\n'));
    if (value === undefined) onText?.(data.join('\n'));
    const replaced = value === undefined ? undefined : await replaceAll(value);
    if (response.destroyed) return;
    setHead({ headers: replaced?.headers });
    if (replaced === undefined) send(frame);
    else {
      const fields = lines.filter((line) => line !== '' && !line.startsWith('data:'));
      send(`${[...fields, `data: ${JSON.stringify(replaced.message)}`].join('\n')}\n\n`);
    }
  }

  async function endStream(): Promise<void> {
    if (rest !== '') await passFrame(rest);
    sendLast();
  }

  async function passBody(): Promise<void> {
    const body = Buffer.concat(chunks);
    const value = parsed(body.toString());
    const isRefused = value === undefined && body.length > 0 && response.statusCode < 400;
    const replaced = value !== undefined ? await replaceAll(value) : isRefused ? unreadable?.() : undefined;
    if (response.destroyed) return;
    setHead(replaced);
    const bytes = replaced === undefined ? body : Buffer.from(JSON.stringify(replaced.message));
    if (replaced !== undefined && !response.headersSent) {
      response.setHeader('Content-Type', 'application/json');
      response.removeHeader('Content-Encoding');
      response.setHeader('Content-Length', bytes.length);
    }
    sendLast(bytes);
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

  Object.assign(response, {
    writeHead(status: number, ...head: unknown[]) {
      response.statusCode = status;
      const headers = head.find((part) => typeof part === 'object' && part !== null);
      const list = headerList(headers);
      for (const [name] of list) response.removeHeader(name);
      for (const [name, value] of list) response.appendHeader(name, value);
      return response;
    },
    flushHeaders() {
      if (!isStreamOnly) return;
      response.writeHead = writeHead;
      flushHeaders.call(response);
    },
    write(chunk: unknown, encoding?: BufferEncoding | Written, written?: Written) {
      if (isFree()) return response.write(chunk, encoding as BufferEncoding, written);
      take(chunk, typeof encoding === 'string' ? encoding : 'utf8');
      const done = typeof encoding === 'function' ? encoding : written;
      if (done) process.nextTick(done);
      return true;
    },
    end(chunk?: unknown, encoding?: BufferEncoding | Written, ended?: Written) {
      if (isFree()) return response.end(chunk, encoding as BufferEncoding, ended as () => void);
      if (chunk !== undefined && chunk !== null && typeof chunk !== 'function')
        take(chunk, typeof encoding === 'string' ? encoding : 'utf8');
      const done = [chunk, encoding, ended].find((each) => typeof each === 'function') as Written | undefined;
      if (done) response.once('finish', done);
      work = work.then(form === 'stream' ? endStream : passBody).catch(drop);
      return response;
    },
  });
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).includes('text/event-stream');
}

/** The forms in which `writeHead` takes headers. */
function headerList(headers: unknown): [string, string | string[]][] {
  if (!Array.isArray(headers)) {
    const entries = Object.entries((headers ?? {}) as OutgoingHttpHeaders);
    return entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]]));
  }
  if (Array.isArray(headers[0])) return headers.map(([name, value]) => [String(name), textOf(value)]);
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[String(name), textOf(headers[index + 1])]] : []));
}

function textOf(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
