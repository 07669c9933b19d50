import type { Clock } from '../../network/clock.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import type { Network } from '../../network/network.ts';

/** What a server says to a preflight. */
export interface Preflight {
  /** Undefined without an answer. */
  answer: HttpTrace | undefined;
  /** A browser may send what every MCP client sends. */
  isAllowed: boolean;
  allowOrigin: string | null;
  allowMethods: string | null;
  allowHeaders: string | null;
  allowCredentials: boolean;
  /** Any website may act with the cookies of its visitors. */
  allowsAnyWithCredentials: boolean;
  /** Headers of MCP that a browser may not send. */
  missingHeaders: string[];
  maxAgeSeconds: number | null;
}

/** The origin of a browser client that no server can know. */
const ORIGIN = 'https://browser-client.example';

/** Of every request after the first. The others depend on the version, on sessions and on authorization. */
const NEEDED: readonly string[] = ['content-type', 'mcp-protocol-version'];

const HEADERS: readonly string[] = [
  'content-type',
  'authorization',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
];

const MAX_MS = 5000;

/** Asks as a browser would before it lets an MCP client POST to the URL; without the user's headers, which browsers do not send here. */
export async function askPreflight(
  url: URL,
  { network, clock }: { network: Network; clock: Clock },
): Promise<Preflight> {
  const headers = {
    origin: ORIGIN,
    'access-control-request-method': 'POST',
    'access-control-request-headers': HEADERS.join(','),
  };
  try {
    const request = { url: url.href, method: 'OPTIONS', headers };
    const { status, headers: received, body } = await network.stream(request, Math.min(MAX_MS, clock.remaining() / 2));
    body.cancel().catch(() => {});
    return readPreflight({ method: 'OPTIONS', url: url.href, status, headers: received, body: null });
  } catch {
    return readPreflight(undefined);
  }
}

/** By the rules of the Fetch standard, for a request without cookies. */
function readPreflight(answer: HttpTrace | undefined): Preflight {
  const of = (name: string): string | null => answer?.headers[`access-control-${name}`]?.trim() ?? null;
  const [allowOrigin, allowHeaders] = [of('allow-origin'), of('allow-headers')];
  const allowed = (allowHeaders ?? '')
    .toLowerCase()
    .split(',', 1000)
    .map((name) => name.trim());
  // The wildcard does not cover this one.
  const covers = (name: string): boolean =>
    allowed.includes(name) || (allowed.includes('*') && name !== 'authorization');
  const status = answer?.status ?? 0;
  const isOriginAllowed = allowOrigin === '*' || allowOrigin === ORIGIN;
  return {
    answer,
    isAllowed: status >= 200 && status < 300 && isOriginAllowed && NEEDED.every(covers),
    allowOrigin,
    allowMethods: of('allow-methods'),
    allowHeaders,
    allowCredentials: of('allow-credentials') === 'true',
    allowsAnyWithCredentials: allowOrigin === ORIGIN && of('allow-credentials') === 'true',
    missingHeaders: HEADERS.filter((name) => !covers(name)),
    maxAgeSeconds: /^\d{1,9}$/.test(of('max-age') ?? '') ? Number(of('max-age')) : null,
  };
}
