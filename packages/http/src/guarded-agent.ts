import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { HttpError } from './http-error.ts';
import { isPublicAddress } from './is-public-address.ts';
import { type NetworkPolicy, policyJudge } from './network-policy.ts';

const require = createRequire(import.meta.url);

/** 256 requests at a time are faster on 128 connections than on 256. */
const CONNECTIONS_PER_ORIGIN = 128;

/**
 * Creates the connections of a client. Loads undici only now, and only its agent: loading all of it takes three times as long.
 * HTTP/1.1 only, because this package relies on its timeouts and limits.
 */
export function createAgent(connect: NonNullable<Agent.Options['connect']>): Agent {
  const AgentClass: typeof Agent = require('undici/lib/dispatcher/agent.js');
  return new AgentClass({ allowH2: false, connections: CONNECTIONS_PER_ORIGIN, connect });
}

/** A function like `dns.lookup`. */
export type Lookup = typeof dnsLookup;

/**
 * Wraps a lookup so that it refuses a name unless all its addresses are accepted; by default, public. The socket connects to the
 * addresses that were checked, so that DNS rebinding has no effect.
 */
export function createGuardedLookup(
  lookup: Lookup,
  accepts: (address: string) => boolean = isPublicAddress,
): LookupFunction {
  return (hostname, options, callback) => {
    const allAddresses: LookupOptions = { ...options, all: true };
    lookup(hostname, allAddresses, (error, answer, family = 0) => {
      if (error) return callback(error, []);
      // A user's own lookup may not support `all`.
      const found = typeof answer === 'string' ? [{ address: answer, family }] : answer;
      const blocked = found.find(({ address }) => !accepts(address));
      if (blocked !== undefined) return callback(addressBlocked(blocked), []);
      if (options.all) return callback(null, found);
      const [first] = found;
      return first === undefined ? callback(notFound(hostname), []) : callback(null, first.address, first.family);
    });
  };
}

/**
 * The lookup for a socket of one's own to the host of a URL. Throws an `HttpError` if the policy blocks the URL; a literal address is
 * checked here, because sockets look up only names.
 */
export function socketLookup(url: URL, policy: NetworkPolicy, lookup: Lookup = dnsLookup): LookupFunction {
  const verdict = policyJudge(policy)(url, url.origin);
  if (verdict === 'public-addresses') return createGuardedLookup(lookup);
  if (verdict === 'any-address') return createGuardedLookup(lookup, () => true);
  throw new HttpError(verdict, url);
}

/** The message does not contain the address, so that callers do not learn the names of this network. */
function addressBlocked({ address }: LookupAddress): NodeJS.ErrnoException {
  const text = 'the name resolves to a private or reserved address';
  return Object.assign(new Error(text), { code: 'ADDRESS_BLOCKED', address });
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
}
