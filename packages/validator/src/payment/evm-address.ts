import { keccak_256 } from '@noble/hashes/sha3.js';

/** How an address stands to EIP-55. */
export type Checksum = 'right' | 'absent' | 'wrong';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function isEvmAddress(text: string): boolean {
  return ADDRESS.test(text);
}

export function isZeroAddress(text: string): boolean {
  return /^0x0{40}$/.test(text);
}

/** Judges the case of an address. In one case alone it carries no checksum; in mixed case it carries one that is right or wrong. */
export function checksumOf(address: string): Checksum {
  const digits = address.slice(2);
  if (digits === checksummed(digits)) return 'right';
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() ? 'absent' : 'wrong';
}

function checksummed(digits: string): string {
  const hash = keccak_256(new TextEncoder().encode(digits.toLowerCase()));
  return [...digits.toLowerCase()].map((digit, index) => (isUpper(hash, index) ? digit.toUpperCase() : digit)).join('');
}

/** Half a byte of the hash for each digit: upper case from 8 on. */
function isUpper(hash: Uint8Array, index: number): boolean {
  const byte = hash[index >> 1] ?? 0;
  return (index % 2 === 0 ? byte >> 4 : byte & 15) >= 8;
}
