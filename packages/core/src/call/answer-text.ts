import type { SecretVault } from './secret-vault.ts';

/** The answer of a call before secrets are masked in it. */
export interface RawAnswer {
  data: unknown;
  /** Whether `data` is what a JSON text says, untouched by code of this process: then its text shows everything in it. */
  isParsed?: boolean;
  /** JSON text of `data`, where a host wrote it already. */
  text?: string | undefined;
}

/** Data, and the same as JSON text. */
export interface AnswerText {
  data: unknown;
  text: string;
}

/** Masks secrets in an answer, and writes it as text. */
export function maskedAnswer({ data, isParsed = false, text: written }: RawAnswer, vault: SecretVault): AnswerText {
  if (vault.values.length === 0) return { data, text: written ?? stringifyData(data) };
  // The text of a host may spell a secret with escapes: only text that this process wrote can be searched as a whole.
  const text = isParsed ? stringifyData(data) : undefined;
  if (text !== undefined && vault.clearsJson(text)) return { data, text };
  const masked = vault.scrubData(data);
  return { data: masked, text: text !== undefined && masked === data ? text : stringifyData(masked) };
}

/**
 * The result of a call as JSON text. Values that JSON lacks have a form: bigint its digits, a circle `[Circular]`.
 *
 * @throws An error with code and hint beyond several thousand levels, which a text that is read may have.
 */
export function stringifyData(data: unknown): string {
  try {
    // Without a replacer, which would make the usual case several times slower.
    return JSON.stringify(data) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) {
      const hint = 'Ask for less, or return the part that is needed from a postRequest handler.';
      const tooDeep = new Error('The answer is nested too deeply: it cannot be written as text');
      throw Object.assign(tooDeep, { code: 'ANSWER_TOO_DEEP', hint });
    }
    return JSON.stringify(data, withoutCircles()) ?? 'null';
  }
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function withoutCircles(): (this: unknown, key: string, value: unknown) => unknown {
  const ancestors: unknown[] = [];
  return function (key, value) {
    if (typeof value !== 'object' || value === null) return bigintAsText(key, value);
    // `this` is the object that holds the key: everything deeper than it is no longer above the value.
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop();
    if (ancestors.includes(value)) return '[Circular]';
    ancestors.push(value);
    return value;
  };
}
