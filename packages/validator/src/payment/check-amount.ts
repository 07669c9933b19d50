import type { Code } from '../findings/codes.ts';
import type { NetworkFamily } from './network-id.ts';

/** What is wrong with one field, if anything: the code and a text. */
export type FieldProblem = readonly [code: Code, text: string];

/** An amount has to be a positive whole number of atomic units, in decimal digits. */
export function checkAmount(amount: unknown, name: string, family?: NetworkFamily): FieldProblem | undefined {
  if (amount === undefined) return ['PAY-060', `\`${name}\` is missing`];
  if (typeof amount !== 'string') return ['PAY-061', `\`${name}\` must be a string of digits, not ${typeof amount}`];
  if (/^0*$/.test(amount) && amount !== '') return ['PAY-063', `\`${name}\` must be greater than 0`];
  if (/^\d+$/.test(amount)) {
    if (amount.startsWith('0')) return ['PAY-064', `\`${name}\` has leading zeros`];
    const bits = family === 'solana' ? 64 : 256;
    // No number of 256 bits has more digits; longer texts are not worth reading as one.
    const isTooLarge = amount.length > 78 || BigInt(amount) >= 2n ** BigInt(bits);
    return isTooLarge
      ? ['PAY-064', `\`${name}\` is larger than a number of ${bits} bits, and so than any token`]
      : undefined;
  }
  const value = amount.trim() === '' ? Number.NaN : Number(amount);
  if (Number.isNaN(value)) return ['PAY-062', `\`${name}\` is \`${amount.slice(0, 40)}\`, which is not a number`];
  if (value <= 0) return ['PAY-063', `\`${name}\` must be greater than 0`];
  return ['PAY-064', `\`${name}\` is \`${amount.slice(0, 40)}\`; it must count atomic units in decimal digits`];
}

/** Seconds have to be a positive whole number. */
export function checkTimeout(seconds: unknown): FieldProblem | undefined {
  if (seconds === undefined) return ['PAY-090', '`maxTimeoutSeconds` is missing'];
  if (typeof seconds !== 'number') return ['PAY-091', `\`maxTimeoutSeconds\` must be a number, not ${typeof seconds}`];
  if (!(seconds > 0)) return ['PAY-092', '`maxTimeoutSeconds` must be greater than 0'];
  if (!Number.isInteger(seconds)) return ['PAY-093', '`maxTimeoutSeconds` should be whole seconds'];
  return seconds > 3600 ? ['PAY-094', `\`maxTimeoutSeconds\` is ${seconds}: more than an hour`] : undefined;
}
