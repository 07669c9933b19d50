import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';
import { isPublicAddress } from './is-public-address.ts';

/** Where requests may go. A policy is read once, on first use: make a new object to change it. */
export interface NetworkPolicy {
  /** Origins (`https://host[:port]`) whose host may be, or resolve to, a private, loopback or link-local address. All others must be public. Default none. */
  privateOrigins?: readonly string[];
  /** Origins that requests and redirects may go to; a host label `*` stands for exactly one label (`https://*.g.example.com`). Default any. */
  allowedOrigins?: readonly string[];
}

/** The decision on an origin: the addresses that a request may connect to, or the reason to refuse it. */
export type Verdict = 'public-addresses' | 'any-address' | 'ORIGIN_BLOCKED' | 'ADDRESS_BLOCKED';

/** Decides on a URL. Decisions are cached by origin. */
export type PolicyJudge = (url: URL, origin: string) => Verdict;

/** Handlers choose the origins of their requests, so the cache needs a limit. */
const MAX_CACHED_VERDICTS = 1000;

const judges = new WeakMap<NetworkPolicy, PolicyJudge>();

/** The check of a policy, created on first use. Throws an {@link HttpError} `INVALID_POLICY` for an entry that is not an origin. */
export function policyJudge(policy: NetworkPolicy): PolicyJudge {
  const judge = judges.get(policy) ?? createJudge(policy);
  judges.set(policy, judge);
  return judge;
}

function createJudge({ privateOrigins = [], allowedOrigins }: NetworkPolicy): PolicyJudge {
  const approved = new Set(privateOrigins.map((origin) => parseOrigin(origin).origin));
  const isAllowed = allowedOrigins === undefined ? () => true : createOriginMatcher(allowedOrigins);
  const verdicts = new Map<string, Verdict>();

  function verdictOn(url: URL): Verdict {
    if (!isAllowed(url)) return 'ORIGIN_BLOCKED';
    if (approved.has(url.origin)) return 'any-address';
    const address = literalAddress(url.hostname);
    return address === undefined || isPublicAddress(address) ? 'public-addresses' : 'ADDRESS_BLOCKED';
  }

  return (url, origin) => {
    let verdict = verdicts.get(origin);
    if (verdict === undefined) {
      verdict = verdictOn(url);
      if (verdicts.size >= MAX_CACHED_VERDICTS) verdicts.clear();
      verdicts.set(origin, verdict);
    }
    return verdict;
  };
}

/** Makes a function that tells whether the origin of a URL is allowed. Throws an {@link HttpError} `INVALID_POLICY` for an entry that is not an origin. */
export function createOriginMatcher(allowedOrigins: readonly string[]): (url: URL) => boolean {
  const allowed = allowedOrigins.map(parseOrigin);
  const exact = new Set(allowed.map(({ origin }) => origin));
  const patterns = allowed.filter(({ hostname }) => hostname.split('.').includes('*'));
  return (url) => exact.has(url.origin) || patterns.some((pattern) => matchesPattern(url, pattern));
}

/** A `*` never matches a part of a literal address: `https://*.*.*.*` is about names. */
function matchesPattern(url: URL, pattern: URL): boolean {
  if (url.protocol !== pattern.protocol || url.port !== pattern.port) return false;
  if (literalAddress(url.hostname) !== undefined) return false;
  const labels = url.hostname.split('.');
  const wanted = pattern.hostname.split('.');
  return labels.length === wanted.length && wanted.every((label, i) => label === '*' || label === labels[i]);
}

/** The address, if the host of a URL is one. The URL parser has normalised `2130706433`, `0x7f.1` and `[::ffff:127.0.0.1]`. */
function literalAddress(hostname: string): string | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) === 0 ? undefined : address;
}

function parseOrigin(origin: string): URL {
  const url = URL.parse(origin);
  const isOrigin =
    url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.href === `${url.origin}/`;
  if (!isOrigin)
    throw new HttpError('INVALID_POLICY', undefined, { detail: `\`${origin.slice(0, 100)}\` is not an origin` });
  return url;
}
