import { base58 } from '@scure/base';

/** True for 32 bytes in base58: an account or a mint. */
export function isSolanaAddress(text: string): boolean {
  if (text.length < 32 || text.length > 44) return false;
  try {
    return base58.decode(text).length === 32;
  } catch {
    return false;
  }
}
