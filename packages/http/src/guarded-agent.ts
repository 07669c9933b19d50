import type { lookup as dnsLookup, LookupAddress, LookupOptions } from 'node:dns';
import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { isPublicAddress } from './is-public-address.ts';

const require = createRequire(import.meta.url);

/** More connections to one server only cost: at 256 requests at a time, 128 of them are faster than 256. */
const CONNECTIONS_PER_ORIGIN = 128;

/**
 * Creates the connections of a client. undici is loaded here and not before, and only its agent: all of it would take a command that makes one request
 * three times as long. HTTP/1.1 only: its time-outs and limits are the ones this package relies on.
 */
export function createAgent(connect: NonNullable<Agent.Options['connect']>): Agent {
  const AgentClass: typeof Agent = require('undici/lib/dispatcher/agent.js');
  return new AgentClass({ allowH2: false, connections: CONNECTIONS_PER_ORIGIN, connect });
}

/** A function that is called as `dns.lookup` is. */
export type Lookup = typeof dnsLookup;

/**
 * Wraps a look-up so that a name is refused unless every address it resolves to is accepted; by default, if it is public. One private address among public
 * ones refuses the name: an honest host has no reason for the mixture, and a host that tries to get at the private one gets nothing. The socket connects to
 * the very addresses that were checked, so that a name which resolves differently a moment later (rebinding) gains nothing either.
 */
export function createGuardedLookup(
  lookup: Lookup,
  accepts: (address: string) => boolean = isPublicAddress,
): LookupFunction {
  return (hostname, options, callback) => {
    const allAddresses: LookupOptions = { ...options, all: true };
    lookup(hostname, allAddresses, (error, answer, family = 0) => {
      if (error) return callback(error, []);
      // A simple look-up of the user's may not know `all`.
      const found = typeof answer === 'string' ? [{ address: answer, family }] : answer;
      const blocked = found.find(({ address }) => !accepts(address));
      if (blocked !== undefined) return callback(addressBlocked(blocked), []);
      if (options.all) return callback(null, found);
      const [first] = found;
      return first === undefined ? callback(notFound(hostname), []) : callback(null, first.address, first.family);
    });
  };
}

/** The address stands in its own field, not in the text: who asks need not learn what names mean inside this network. */
function addressBlocked({ address }: LookupAddress): NodeJS.ErrnoException {
  const text = 'the name resolves to a private or reserved address';
  return Object.assign(new Error(text), { code: 'ADDRESS_BLOCKED', address });
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
}
