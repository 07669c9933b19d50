import type { lookup as dnsLookup, LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './is-public-address.ts';

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
