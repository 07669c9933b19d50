/**
 * Parses the JSON of an answer. Integers of up to 20 digits that a number cannot hold become text with their exact digits, as
 * bigints do everywhere here: an identifier that lost its last digits names something else. What is longer is an amount, not
 * an identifier, and stays a number.
 *
 * @throws SyntaxError
 */
export function parseAnswerJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context?: { source?: string }) => {
    const isUnsafe = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isUnsafe && /^-?\d{1,20}$/.test(context?.source ?? '') ? context?.source : value;
  }) as (key: string, value: unknown) => unknown);
}
