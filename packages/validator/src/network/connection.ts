import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { explainFailure, HttpError } from '@schemakit/http';
import { type Certificate, describeCertificate } from './certificate.ts';

/** A connection that was opened to see how the server of a URL is reached. */
export interface Connection {
  origin: string;
  /** Without the port. */
  host: string;
  ipAddress: string | null;
  /** Null for http, or without a handshake. */
  tls: Tls | null;
  /** In milliseconds; null for what did not happen. */
  timing: { dnsMs: number | null; connectMs: number | null; tlsMs: number | null };
  /** Why the connection, or its handshake, failed. An untrusted certificate is no failure here. */
  error: HttpError | undefined;
}

interface Tls {
  /** Such as `TLSv1.3`. */
  version: string | null;
  /** The protocol that the server chose of `h2` and `http/1.1`; null if it does not choose. */
  alpn: string | null;
  certificate: Certificate | null;
}

export interface ProbeOptions {
  /** Throws an `HttpError` if the URL is blocked, else gives the lookup that connects only to allowed addresses. */
  guard(): LookupFunction;
  ca: string | readonly string[] | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Opens a connection and closes it after the handshake; sends no request. Never rejects. */
export function probeConnection(url: URL, { guard, ca, timeoutMs, signal }: ProbeOptions): Promise<Connection> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const timing: Connection['timing'] = { dnsMs: null, connectMs: null, tlsMs: null };
  const seen: Connection = { origin: url.origin, host, ipAddress: null, tls: null, timing, error: undefined };
  let last = performance.now();
  const lap = (): number => {
    const now = performance.now();
    const ms = Math.round((now - last) * 10) / 10;
    last = now;
    return ms;
  };
  return new Promise((resolve) => {
    let socket: Socket | undefined;
    let isOver = false;
    const end = (error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      // The server may reset the connection even now.
      socket?.on('error', () => {}).destroy();
      if (error !== undefined) seen.error = explainFailure(error, url);
      resolve(seen);
    };
    const late = (): void => end(new HttpError('ETIMEDOUT', url, { detail: 'no connection' }));
    const stop = (): void => end(new HttpError('ABORTED', url));
    const timer = setTimeout(late, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const lookup = guard();
      const target = { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80), lookup: timed(lookup) };
      socket = url.protocol === 'https:' ? connectTls({ ...target, ...tlsOptions(host, ca) }) : connectTcp(target);
    } catch (error) {
      return end(error);
    }
    const opened = socket;
    opened.once('connect', () => {
      timing.connectMs = lap();
      seen.ipAddress = opened.remoteAddress ?? null;
      if (url.protocol === 'http:') end();
    });
    opened.once('secureConnect', () => {
      timing.tlsMs = lap();
      seen.tls = describeTls(opened as TLSSocket, host);
      end();
    });
    opened.once('error', end);
    opened.once('close', () => end(new HttpError('ECONNRESET', url)));
  });

  function timed(lookup: LookupFunction): LookupFunction {
    return (hostname, options, callback) =>
      lookup(hostname, options, (...answer) => {
        timing.dnsMs = lap();
        callback(...answer);
      });
  }
}

/** Accepts any certificate, and versions that no client should use any more, to be able to name them. */
function tlsOptions(host: string, ca: ProbeOptions['ca']): object {
  return {
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca: [ca].flat() }),
    ALPNProtocols: ['h2', 'http/1.1'],
    rejectUnauthorized: false,
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  };
}

function describeTls(socket: TLSSocket, host: string): Tls {
  const certificate = socket.getPeerX509Certificate();
  const { authorizationError } = socket;
  const refusal = authorizationError
    ? String((authorizationError as NodeJS.ErrnoException).code ?? authorizationError)
    : undefined;
  return {
    version: socket.getProtocol(),
    alpn: socket.alpnProtocol || null,
    certificate: certificate === undefined ? null : describeCertificate(certificate, { host, refusal }),
  };
}
