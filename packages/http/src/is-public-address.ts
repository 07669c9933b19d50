import { isIP } from 'node:net';
import ipaddr, { type IPv6 } from 'ipaddr.js';

/** The only allocated part of IPv6 (RFC 4291 2.4, IANA IPv6 address space registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** In a public range, but served by the cloud host of the machine (Azure). */
const CLOUD_INTERNAL: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * True for global unicast addresses; false for private, loopback, link-local, shared, multicast and reserved ones. IPv6 addresses
 * that contain an IPv4 address (mapped, translated, NAT64, 6to4, Teredo) are as public as that one. Text that is not a complete
 * address (such as `127.1`) is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return isPublicIPv4(address);
  if (family === 6) return isPublicIPv6(address);
  return false;
}

function isPublicIPv4(address: string): boolean {
  return ipaddr.IPv4.parse(address).range() === 'unicast' && !CLOUD_INTERNAL.has(address);
}

function isPublicIPv6(text: string): boolean {
  const address = parseIPv6(text);
  if (address === undefined) return false;
  const bytes = address.toByteArray();
  switch (address.range()) {
    case 'unicast':
      return address.match(GLOBAL_UNICAST);
    case 'ipv4Mapped':
    case 'rfc6145':
      return carriesPublic(bytes, 12);
    case 'rfc6052':
      // 64:ff9b:1::/48 (RFC 8215) is for use inside one network, whatever it carries.
      return bytes[5] === 0 && carriesPublic(bytes, 12);
    case '6to4':
      return carriesPublic(bytes, 2);
    case 'teredo':
      // RFC 4380: the server's address, and the client's with all bits inverted.
      return carriesPublic(bytes, 4) && carriesPublic(inverted(bytes), 12);
    default:
      return false;
  }
}

function inverted(bytes: readonly number[]): number[] {
  return bytes.map((byte) => byte ^ 0xff);
}

function carriesPublic(bytes: readonly number[], offset: number): boolean {
  return isPublicIPv4(bytes.slice(offset, offset + 4).join('.'));
}

/** Through the URL parser, because ipaddr.js takes `::8.8.8.8` for `::ffff:8.8.8.8`. It refuses zones (`fe80::1%eth0`). */
function parseIPv6(text: string): IPv6 | undefined {
  const url = URL.parse(`http://[${text}]`);
  return url === null ? undefined : ipaddr.IPv6.parse(url.hostname.slice(1, -1));
}
