import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import {
  createHttpClient,
  type HttpAnswer,
  type HttpClientOptions,
  HttpError,
  type HttpRequest,
  type HttpStream,
  type Lookup,
  socketLookup,
} from '@schemakit/http';
import type { StartSettings } from '../input/start-options.ts';
import type { Clock } from './clock.ts';
import { type Connection, probeConnection } from './connection.ts';
import { currentExchange, type HttpTrace, MAX_LIST_BYTES } from './exchange.ts';

/** All network access of a run. */
export interface Network {
  /** The first response with status 401. */
  readonly challenged: HttpTrace | undefined;
  /** For the transports of the MCP SDK. Streams bodies, follows redirects only to `privateOrigins`, and records everything. */
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  head(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<HttpAnswer>;
  /** Sends one request and resolves when the headers have arrived; redirects are not followed. Read the body to its end, or cancel it. */
  stream(request: HttpRequest, timeoutMs: number): Promise<HttpStream>;
  /** Gets a small document from any public origin. Redirects to other origins do not get `headers`. */
  get(url: URL, timeoutMs: number, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** Opens and closes a connection of its own, to see the TLS handshake and its certificate, trusted or not. Never rejects. */
  probe(url: URL, timeoutMs: number): Promise<Connection>;
  close(): Promise<void>;
}

export const MAX_DOCUMENT_BYTES: number = 256 * 1024;
/** Stops a transport that reconnects endlessly. */
const MAX_REQUESTS = 5000;
/** Of all event streams of a run. An honest answer has few. */
const MAX_EVENT_LINES = 20_000;
const NEWLINE = 10;
const MAX_REDIRECTS = 3;
/** Some servers never answer HEAD. */
const HEAD_TIMEOUT_MS = 3000;

/** Opens the network for a run. The endpoint's origin may be private, all others must be public or approved. */
export function openNetwork(settings: StartSettings, clock: Clock): Network {
  const { endpoint, publicOnly, privateOrigins, ca, lookup } = settings;
  const named = endpoint === null || publicOnly ? [] : [endpoint.origin];
  const policy = { privateOrigins: [...named, ...privateOrigins] };
  const guarded = withoutMetadata(lookup);
  const options: HttpClientOptions = {
    policy,
    lookup: guarded,
    retries: 0,
    maxRedirects: MAX_REDIRECTS,
    signal: clock.signal,
    ...(ca !== undefined && { ca }),
  };
  const client = createHttpClient(options);
  const approved = new Set(privateOrigins.map((origin) => new URL(origin).origin));
  let requests = 0;
  let lines = 0;
  let challenged: HttpTrace | undefined;

  /** A whole number, as messages tell it. */
  const within = (timeoutMs: number): number => Math.max(1, Math.ceil(Math.min(timeoutMs, clock.remaining())));

  function check(url: URL): void {
    if (isMetadataAddress(url.hostname)) throw new HttpError('ADDRESS_BLOCKED', url);
    if (++requests > MAX_REQUESTS)
      throw new HttpError('ABORTED', url, { detail: `more than ${MAX_REQUESTS} requests` });
  }

  /** Ends event streams of too many lines: each event takes time and memory in the client. */
  function boundedEvents(body: ReadableStream<Uint8Array>, url: URL): ReadableStream<Uint8Array> {
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        for (const byte of chunk) if (byte === NEWLINE) lines++;
        if (lines <= MAX_EVENT_LINES) controller.enqueue(chunk);
        else
          controller.error(new HttpError('TOO_LARGE', url, { detail: `more than ${MAX_EVENT_LINES} lines of events` }));
      },
    });
    return body.pipeThrough(count);
  }

  /** Follows redirects to approved origins, without the user's headers. */
  async function send(url: URL, init: RequestInit, redirects: number = 0): Promise<Response> {
    check(url);
    const signal = init.signal ? AbortSignal.any([init.signal, clock.signal]) : clock.signal;
    const timeoutMs = clock.remaining() + 1000;
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const { maxBytes = MAX_LIST_BYTES } = currentExchange.getStore() ?? {};
    const answer = await client.stream(
      { url: url.href, method, headers, ...(typeof body === 'string' && { body }) },
      { signal, timeoutMs, idleTimeoutMs: timeoutMs, maxBytes },
    );
    const { status, statusText } = answer;
    const target = status === 307 || status === 308 ? URL.parse(answer.headers.location ?? '', url.href) : null;
    if (target !== null && target.origin !== url.origin && approved.has(target.origin) && redirects < MAX_REDIRECTS) {
      await answer.body.cancel();
      for (const name of Object.keys(settings.headers)) delete headers[name.toLowerCase()];
      return await send(target, { ...init, headers }, redirects + 1);
    }
    const isSuccess = status >= 200 && status < 300;
    // The start of an error response is recorded.
    const refusal = isSuccess ? null : await readStart(answer.body, MAX_DOCUMENT_BYTES);
    const trace: HttpTrace = { method, url: url.href, status, headers: answer.headers, body: refusal };
    if (status === 401) challenged ??= trace;
    currentExchange.getStore()?.http.push(trace);
    const hasNoBody = status === 204 || status === 205 || status === 304;
    const isEvents = (answer.headers['content-type'] ?? '').startsWith('text/event-stream');
    const whole = isEvents ? boundedEvents(answer.body, url) : answer.body;
    return new Response(hasNoBody ? null : (refusal ?? whole), { status, statusText, headers: answer.headers });
  }

  return {
    get challenged() {
      return challenged;
    },
    async fetch(input, init = {}) {
      try {
        return await send(new URL(input), init);
      } catch (error) {
        if (error instanceof HttpError) currentExchange.getStore()?.failures.push(error);
        throw error;
      }
    },
    async head(url, headers, signal) {
      check(url);
      const timeoutMs = Math.min(HEAD_TIMEOUT_MS, clock.remaining() + 1);
      // Some servers stream a response to HEAD without end, so its connection must not be reused.
      const ownClient = createHttpClient({ ...options, signal: AbortSignal.any([signal, clock.signal]) });
      try {
        return await ownClient.request({ url: url.href, method: 'HEAD', headers }, { redirect: 'manual', timeoutMs });
      } finally {
        await ownClient.close();
      }
    },
    async stream(request, timeoutMs) {
      check(new URL(request.url));
      const ms = within(timeoutMs);
      return await client.stream(request, { timeoutMs: ms, idleTimeoutMs: ms, maxBytes: MAX_LIST_BYTES });
    },
    async get(url, timeoutMs, headers = {}) {
      check(url);
      return await client.request(
        { url: url.href, method: 'GET', headers: { accept: 'application/json', ...headers } },
        {
          timeoutMs: within(timeoutMs),
          maxBytes: MAX_DOCUMENT_BYTES,
          secretHeaders: Object.keys(headers),
        },
      );
    },
    probe: (url, timeoutMs) =>
      probeConnection(url, {
        // Rejects what requests would reject.
        guard() {
          check(url);
          return socketLookup(url, policy, guarded);
        },
        ca,
        timeoutMs: within(timeoutMs),
        signal: clock.signal,
      }),
    close: () => client.close(),
  };
}

/** Reads at most `maxBytes` of a body as text. Ignores errors of an incomplete body. */
export async function readStart(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // Keep what was received.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}

/** Metadata services of clouds, which expose credentials. Always blocked. */
const ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::254',
]);

/** Whether a host is a metadata service, in any spelling of its address. */
function isMetadataAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '').toLowerCase();
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped === null) return ADDRESSES.has(address.replace(/^::ffff:/, ''));
  const [high = 0, low = 0] = mapped.slice(1).map((group) => Number.parseInt(group, 16));
  return ADDRESSES.has([high >> 8, high & 255, low >> 8, low & 255].join('.'));
}

/** A lookup that blocks metadata services. */
function withoutMetadata(lookup: Lookup = dnsLookup): Lookup {
  const filtered = (hostname: string, options: LookupOptions, callback: Callback): void => {
    lookup(hostname, { ...options, all: true }, (error, answer: LookupAddress[] | string, family = 0) => {
      if (error) return callback(error, []);
      const found = typeof answer === 'string' ? [{ address: answer, family }] : answer;
      const isBlocked = found.some(({ address }) => isMetadataAddress(address));
      return isBlocked ? callback(blocked(), []) : callback(null, found);
    });
  };
  return filtered as Lookup;
}

type Callback = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;

function blocked(): NodeJS.ErrnoException {
  const text = 'the name resolves to a cloud metadata service';
  return Object.assign(new Error(text), { code: 'ADDRESS_BLOCKED' });
}

/** The same network, which gets each document only once. Failed requests may be repeated. */
export function withDocumentCache(network: Network): Network {
  const answers = new Map<string, Promise<HttpAnswer>>();
  return {
    ...network,
    get challenged() {
      return network.challenged;
    },
    get(url, timeoutMs, headers) {
      const earlier = answers.get(url.href);
      if (earlier !== undefined) return earlier;
      const answer = network.get(url, timeoutMs, headers);
      answers.set(url.href, answer);
      answer.catch(() => answers.delete(url.href));
      return answer;
    },
  };
}
