/**
 * Parses the JSON of an answer. Integers of up to 20 digits that a number cannot represent become text, because an
 * identifier without its last digits is a different one. Longer ones are amounts and stay numbers.
 */
export function parseAnswerJson(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context?: { source?: string }) => {
    const isUnsafe = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isUnsafe && /^-?\d{1,20}$/.test(context?.source ?? '') ? context?.source : value;
  }) as (key: string, value: unknown) => unknown);
}

const shortestUnsafe = 16;

/** Whether there are as many digits in a row as an unsafe integer has. Checks every 16th character first. */
function hasLongNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += shortestUnsafe) {
    if (!isDigit(text, at)) continue;
    let begin = at;
    while (isDigit(text, begin - 1)) begin -= 1;
    let end = at + 1;
    while (isDigit(text, end)) end += 1;
    if (end - begin >= shortestUnsafe) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
