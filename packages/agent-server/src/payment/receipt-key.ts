import { createHash } from 'node:crypto';

/**
 * Identifies what a payment spends, which can be spent once: the sender and number of an authorization (EIP-3009, Permit2), or the
 * message of a transaction (Solana). The rest of a payment can be varied without another signature.
 */
export function receiptKey(payload: Readonly<Record<string, unknown>>): string {
  const { authorization, permit2Authorization, transaction } = payload;
  const { from, nonce } = Object(authorization ?? permit2Authorization) as { from?: unknown; nonce?: unknown };
  if (typeof from === 'string' && nonce !== undefined) return hash([from.toLowerCase(), asNumber(nonce)]);
  if (typeof transaction === 'string') return hash(messageOf(Buffer.from(transaction, 'base64')));
  const { signature: _signature, ...rest } = payload;
  return hash(rest);
}

/** Equal for equal data, whatever the order of its keys. */
export function hash(data: unknown): string {
  const text = JSON.stringify(data, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
  return createHash('sha256').update(text).digest('hex');
}

/** A number may be written in several ways: `0xA`, `0x0a`, `10`. */
function asNumber(nonce: unknown): string {
  try {
    return BigInt(nonce as string).toString();
  } catch {
    return hash(nonce);
  }
}

/** What the signatures of a transaction sign: it begins with their number and the signatures, of 64 bytes each. */
function messageOf(transaction: Buffer): string {
  return transaction.subarray(1 + 64 * (transaction[0] ?? 0)).toString('base64');
}
