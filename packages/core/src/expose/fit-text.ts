import { type Cut, fitData } from './fit-data.ts';

/** An answer that fits in a length, and what it lacks. */
export interface FittedText {
  data: unknown;
  text: string;
  cuts: Cut[];
}

/**
 * Makes an answer fit. Data loses items of its lists; a text loses its last lines, since a text that ends in the middle of a
 * line looks whole.
 */
export function fitText(data: unknown, text: string, maxLength: number): FittedText {
  if (text.length <= maxLength) return { data, text, cuts: [] };
  if (typeof data === 'string') return fitLines(data, maxLength);
  const fitted = fitData(data, maxLength);
  return { ...fitted, text: JSON.stringify(fitted.data) };
}

function fitLines(data: string, maxLength: number): FittedText {
  const end = data.lastIndexOf('\n', maxLength - 1);
  const text = end === -1 ? '' : data.slice(0, end + 1);
  const total = countLines(data);
  const returned = countLines(text);
  return { data: text, text, cuts: [{ path: '$', kind: 'lines', returned, total, omitted: total - returned }] };
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
