import { field } from '../findings/plain-object.ts';
import { caip2Of } from './network-id.ts';

/** True if two requirements, of whatever version, can be paid in the same ways. */
export function sameOffer(one: unknown, other: unknown): boolean {
  const ways = [one, other].map(waysOf);
  return JSON.stringify(ways[0]) === JSON.stringify(ways[1]);
}

function waysOf(required: unknown): string[] {
  const accepts = field(required, 'accepts');
  const version = field(required, 'x402Version');
  return (Array.isArray(accepts) ? accepts : [])
    .map((option) => {
      const network = field(option, 'network');
      const amount = field(option, version === 1 ? 'maxAmountRequired' : 'amount');
      const id = typeof network === 'string' ? caip2Of(network, version) : network;
      return JSON.stringify([
        field(option, 'scheme'),
        id,
        amount,
        lower(field(option, 'asset')),
        lower(field(option, 'payTo')),
      ]);
    })
    .sort();
}

/** Case in an address is its checksum only; where it is more (Solana), two that differ in nothing else do not occur. */
function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
