import { networkInterfaces } from 'node:os';
import type { HostNames } from './read-host-names.ts';

/**
 * An address under which a server that listens can be called: one that it does not refuse, and not that of every interface.
 *
 * @param url Where it listens.
 */
export function reachableUrl(url: string, { allowedHosts }: HostNames): string {
  const address = new URL(url);
  const [first] = Array.isArray(allowedHosts) && !allowedHosts.includes(address.hostname) ? allowedHosts : [];
  if (first !== undefined) address.hostname = first;
  else if (address.hostname === '0.0.0.0' || address.hostname === '[::]') address.hostname = ownAddress();
  return address.origin;
}

function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
