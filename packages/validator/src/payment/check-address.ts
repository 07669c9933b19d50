import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';
import type { Severity } from '../findings/code-table.ts';
import type { Code } from '../findings/codes.ts';
import type { NetworkFamily } from './network-id.ts';

/** The problem of a field; `severity` overrides that of the code. */
export type FieldProblem = readonly [code: Code, text: string, severity?: Severity];

/** Checks the token. Other network families have their own formats, such as currency codes. */
export function checkAsset(asset: unknown, family: NetworkFamily | undefined): FieldProblem | undefined {
  if (asset === undefined) return ['PAY-070', '`asset` is missing'];
  if (typeof asset !== 'string') return ['PAY-071', `\`asset\` must be a string, not ${typeof asset}`];
  if (!isAddress(asset, family)) return ['PAY-072', `\`asset\` is not ${formOf(family)}`];
  if (isZero(asset, family)) return ['PAY-072', '`asset` is the zero address'];
  if (family !== 'eip155' || checksumOf(asset) === 'right') return undefined;
  return ['PAY-073', `\`asset\` has ${checksumOf(asset) === 'wrong' ? 'a wrong' : 'no'} EIP-55 checksum`];
}

export function checkPayTo(payTo: unknown, family: NetworkFamily | undefined): FieldProblem | undefined {
  if (payTo === undefined) return ['PAY-080', '`payTo` is missing'];
  if (typeof payTo !== 'string') return ['PAY-081', `\`payTo\` must be a string, not ${typeof payTo}`];
  if (!isAddress(payTo, family)) return ['PAY-082', `\`payTo\` is not ${formOf(family)}`];
  if (isZero(payTo, family)) return ['PAY-082', '`payTo` is the zero address: payments would be lost'];
  if (family !== 'eip155') return undefined;
  const checksum = checksumOf(payTo);
  if (checksum === 'absent') return ['PAY-083', '`payTo` has no EIP-55 checksum, so typos go unnoticed'];
  return checksum === 'wrong' ? ['PAY-084', 'The EIP-55 checksum of `payTo` is wrong'] : undefined;
}

function isZero(text: string, family: NetworkFamily | undefined): boolean {
  return family === 'eip155' ? /^0x0{40}$/.test(text) : family === 'solana' && /^1{32}$/.test(text);
}

function isAddress(text: string, family: NetworkFamily | undefined): boolean {
  if (family === 'eip155') return /^0x[0-9a-fA-F]{40}$/.test(text);
  return family === 'solana' ? isSolanaAddress(text) : text.trim() !== '';
}

function formOf(family: NetworkFamily | undefined): string {
  if (family === 'eip155') return '0x and 40 hexadecimal digits';
  return family === 'solana' ? 'an address of 32 bytes in base58' : 'a text';
}

export type Checksum = 'right' | 'absent' | 'wrong';

/** Checks the case of an address: only one case means no checksum. */
export function checksumOf(address: string): Checksum {
  const digits = address.slice(2);
  if (digits === checksummed(digits)) return 'right';
  return digits === digits.toLowerCase() || digits === digits.toUpperCase() ? 'absent' : 'wrong';
}

/** EIP-55: a digit is upper case if the hash has 8 or more at its index. */
function checksummed(digits: string): string {
  const lower = digits.toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(lower))).toString('hex');
  return lower.replace(/./g, (digit, index: number) => ((hash[index] ?? '') >= '8' ? digit.toUpperCase() : digit));
}

/** Whether a text is 32 bytes in base58: an account or a mint. */
export function isSolanaAddress(text: string): boolean {
  if (text.length < 32 || text.length > 44) return false;
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}
