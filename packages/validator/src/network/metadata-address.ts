import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { Lookup } from '@schemakit/http';

/** Where clouds tell the machines in them their secrets. No MCP server is there, whoever names it. */
const ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::254',
]);

/** True for the address of a cloud's metadata service, in any spelling that a URL or a look-up may have for it. */
export function isMetadataAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '').toLowerCase();
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped === null) return ADDRESSES.has(address.replace(/^::ffff:/, ''));
  const [high = 0, low = 0] = mapped.slice(1).map((group) => Number.parseInt(group, 16));
  return ADDRESSES.has([high >> 8, high & 255, low >> 8, low & 255].join('.'));
}

/** A look-up that finds no metadata service. */
export function withoutMetadata(lookup: Lookup = dnsLookup): Lookup {
  const guarded = (hostname: string, options: LookupOptions, callback: Callback): void => {
    lookup(hostname, { ...options, all: true }, (error, answer: LookupAddress[] | string, family = 0) => {
      if (error) return callback(error, []);
      const found = typeof answer === 'string' ? [{ address: answer, family }] : answer;
      const isBlocked = found.some(({ address }) => isMetadataAddress(address));
      return isBlocked ? callback(blocked(), []) : callback(null, found);
    });
  };
  return guarded as Lookup;
}

type Callback = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;

function blocked(): NodeJS.ErrnoException {
  const text = 'the name resolves to the metadata service of a cloud';
  return Object.assign(new Error(text), { code: 'ADDRESS_BLOCKED' });
}
