import type { FieldProblem } from './check-amount.ts';
import { checksumOf, isEvmAddress, isZeroAddress } from './evm-address.ts';
import type { NetworkFamily } from './network-id.ts';
import { isSolanaAddress } from './solana-address.ts';

/** The token that is paid in. Families other than the two have forms of their own, currency codes among them. */
export function checkAsset(asset: unknown, family: NetworkFamily | undefined): FieldProblem | undefined {
  if (asset === undefined) return ['PAY-070', '`asset` is missing'];
  if (typeof asset !== 'string') return ['PAY-071', `\`asset\` must be a string, not ${typeof asset}`];
  if (!isAddress(asset, family)) return ['PAY-072', `\`asset\` is not ${formOf(family)}`];
  if (isZero(asset, family)) return ['PAY-072', '`asset` is the zero address, which no token has'];
  if (family !== 'eip155' || checksumOf(asset) === 'right') return undefined;
  return ['PAY-073', `\`asset\` has ${checksumOf(asset) === 'wrong' ? 'a wrong' : 'no'} EIP-55 checksum`];
}

/** The receiver. */
export function checkPayTo(payTo: unknown, family: NetworkFamily | undefined): FieldProblem | undefined {
  if (payTo === undefined) return ['PAY-080', '`payTo` is missing'];
  if (typeof payTo !== 'string') return ['PAY-081', `\`payTo\` must be a string, not ${typeof payTo}`];
  if (!isAddress(payTo, family)) return ['PAY-082', `\`payTo\` is not ${formOf(family)}`];
  if (isZero(payTo, family)) return ['PAY-082', '`payTo` is the zero address: what is paid is lost'];
  if (family !== 'eip155') return undefined;
  const checksum = checksumOf(payTo);
  if (checksum === 'absent') return ['PAY-083', '`payTo` has no EIP-55 checksum, so that typing errors go unnoticed'];
  return checksum === 'wrong' ? ['PAY-084', 'The EIP-55 checksum of `payTo` is wrong'] : undefined;
}

function isZero(text: string, family: NetworkFamily | undefined): boolean {
  return family === 'eip155' ? isZeroAddress(text) : family === 'solana' && /^1{32}$/.test(text);
}

function isAddress(text: string, family: NetworkFamily | undefined): boolean {
  if (family === 'eip155') return isEvmAddress(text);
  return family === 'solana' ? isSolanaAddress(text) : text.trim() !== '';
}

function formOf(family: NetworkFamily | undefined): string {
  if (family === 'eip155') return '0x and 40 hexadecimal digits';
  return family === 'solana' ? 'an address of 32 bytes in base58' : 'a text';
}
