import { isIP } from 'node:net';
import { HttpError } from './http-error.ts';
import { isPublicAddress } from './is-public-address.ts';

/** Where requests may go. An object is read once, at its first use: make a new one to change it. */
export interface NetworkPolicy {
  /** Origins (`https://host[:port]`) whose host may be, or resolve to, a private, loopback or link-local address. All others must be public. Default none. */
  privateOrigins?: readonly string[];
  /** Origins that requests and redirects may go to; a host label `*` stands for exactly one label (`https://*.g.example.com`). Default any. */
  allowedOrigins?: readonly string[];
}

/** What a policy says about an origin: which addresses a request to it may use, or why there may be none. */
export type Verdict = 'public-addresses' | 'any-address' | 'ORIGIN_BLOCKED' | 'ADDRESS_BLOCKED';

/** Answers what the policy says about a URL; the answer is kept per origin. */
export type PolicyJudge = (url: URL, origin: string) => Verdict;

/** Handlers choose the origins they ask for, so the memory for verdicts must have an end. */
const MAX_KEPT_VERDICTS = 1000;

const judges = new WeakMap<NetworkPolicy, PolicyJudge>();

/** The judge of a policy, made at its first use. Throws an {@link HttpError} `INVALID_POLICY` for an entry that is no origin. */
export function policyJudge(policy: NetworkPolicy): PolicyJudge {
  let judge = judges.get(policy);
  if (judge === undefined) {
    judge = createJudge(policy);
    judges.set(policy, judge);
  }
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
      if (verdicts.size >= MAX_KEPT_VERDICTS) verdicts.clear();
      verdicts.set(origin, verdict);
    }
    return verdict;
  };
}

/** Tells for URLs whether their origin is among those allowed. Throws an {@link HttpError} `INVALID_POLICY` for an entry that is no origin. */
export function createOriginMatcher(allowedOrigins: readonly string[]): (url: URL) => boolean {
  const allowed = allowedOrigins.map(parseOrigin);
  const exact = new Set(allowed.map(({ origin }) => origin));
  const patterns = allowed.filter(({ hostname }) => hostname.split('.').includes('*'));
  return (url) => exact.has(url.origin) || patterns.some((pattern) => matchesPattern(url, pattern));
}

/** A `*` never stands for a part of a literal address: `https://*.*.*.*` is about names. */
function matchesPattern(url: URL, pattern: URL): boolean {
  if (url.protocol !== pattern.protocol || url.port !== pattern.port) return false;
  if (literalAddress(url.hostname) !== undefined) return false;
  const labels = url.hostname.split('.');
  const wanted = pattern.hostname.split('.');
  return labels.length === wanted.length && wanted.every((label, i) => label === '*' || label === labels[i]);
}

/** The address, if the host of a URL is one; the URL standard has already brought `2130706433`, `0x7f.1` and `[::ffff:127.0.0.1]` into one form. */
function literalAddress(hostname: string): string | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) === 0 ? undefined : address;
}

function parseOrigin(origin: string): URL {
  const url = URL.parse(origin);
  const isOrigin =
    url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.href === `${url.origin}/`;
  if (!isOrigin)
    throw new HttpError('INVALID_POLICY', undefined, { detail: `\`${origin.slice(0, 100)}\` is no origin` });
  return url;
}
