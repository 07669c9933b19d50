import { type Hop, mediaType, type Page, pageKind, redirectTarget } from '../../assess/page.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import type { PlainObject } from '../../findings/plain-object.ts';
import { plainText } from '../../findings/plain-text.ts';
import type { Connection } from '../../network/connection.ts';
import type { Preflight } from './preflight.ts';

/** What was seen of a URL. */
export interface HttpView {
  url: URL;
  page: Page;
  /** That of the URL itself comes first. */
  connections: readonly Connection[];
  preflight: Preflight;
  redirects: readonly Redirect[];
}

interface Redirect {
  hop: Hop;
  target: URL;
}

export function redirectsOf({ hops }: Page): Redirect[] {
  return hops.flatMap((hop) => {
    const target = redirectTarget(hop);
    return target === null ? [] : [{ hop, target }];
  });
}

export function categoriesOf({ url, page, connections, preflight, redirects }: HttpView): Record<string, boolean> {
  const last = page.hops.at(-1);
  const certificates = connections.flatMap(({ tls }) => tls?.certificate ?? []);
  const kind = last && pageKind(last);
  return {
    isHttpReachable: last !== undefined || preflight.answer !== undefined,
    isHttps: url.protocol === 'https:',
    hasSslCertificate: certificates.length > 0,
    hasValidSsl: certificates.length > 0 && certificates.every(({ faults }) => faults.length === 0),
    hasRedirects: redirects.length > 0,
    isWebsite: kind === 'website',
    isApiEndpoint: kind === 'api',
    hasServerHeader: last?.headers.server !== undefined,
    supportsCors: preflight.isAllowed,
    supportsHttp2: connections.some(({ tls }) => tls?.alpn === 'h2'),
    supportsHttp3: offersHttp3(last),
  };
}

export function offersHttp3(hop: Hop | undefined): boolean {
  return /(?:^|[\s,])h3(?:-\d+)?=/i.test(hop?.headers['alt-svc'] ?? '');
}

export function entriesOf({ url, page, connections, preflight, redirects }: HttpView): PlainObject {
  const last = page.hops.at(-1);
  const header = (name: string): string | null => {
    const value = last?.headers[name];
    return value === undefined ? null : plainText(value, 300);
  };
  const [own] = connections;
  const certificate = own?.tls?.certificate ?? null;
  const { answer, allowsAnyWithCredentials: _, ...cors } = preflight;
  return {
    protocol: url.protocol.slice(0, -1),
    statusCode: last?.status ?? null,
    redirectCount: redirects.length,
    redirectChain: redirects.map(({ hop, target }) => ({
      from: shownUrl(new URL(hop.url)),
      to: shownUrl(target),
      statusCode: hop.status,
    })),
    contentType: last === undefined ? null : plainText(mediaType(last.headers), 100),
    serverHeader: header('server'),
    responseTimeMs: page.ms,
    sslProtocol: own?.tls?.version ?? null,
    sslIssuer: certificate?.issuer ?? null,
    sslExpiresAt: certificate?.validTo ?? null,
    sslExpiresInDays: certificate?.expiresInDays ?? null,
    ipAddress: own?.ipAddress ?? null,
    // Without what changes every day.
    certificate: certificate && { ...certificate, expiresInDays: undefined },
    alpn: own?.tls?.alpn ?? null,
    altSvc: header('alt-svc'),
    timing: { ...own?.timing, firstByteMs: page.hops[0]?.firstByteMs ?? null },
    connections: connections.map((connection) => ({
      origin: connection.origin,
      sslProtocol: connection.tls?.version ?? null,
      alpn: connection.tls?.alpn ?? null,
      certificateFaults: connection.tls?.certificate?.faults ?? [],
      error: connection.error === undefined ? null : plainText(connection.error.message, 300),
    })),
    cors: {
      status: answer?.status ?? null,
      ...cors,
      ...Object.fromEntries(CORS_TEXTS.map((name) => [name, shortOrNull(cors[name])])),
    },
    securityHeaders: Object.fromEntries(SECURITY_HEADERS.map((name) => [name, header(name)])),
  };
}

const CORS_TEXTS = ['allowOrigin', 'allowMethods', 'allowHeaders'] as const;

const SECURITY_HEADERS = [
  'strict-transport-security',
  'x-content-type-options',
  'content-security-policy',
  'cache-control',
];

function shortOrNull(text: string | null): string | null {
  return text === null ? null : plainText(text, 300);
}
