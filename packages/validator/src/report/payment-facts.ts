import { plainText } from '../findings/plain-text.ts';
import type { PaymentOption } from '../snapshot/x402-entry.ts';
import type { StartResult } from '../start.ts';

/** More ways to pay than anybody reads. */
const MAX_LINES = 50;

/** What each tool costs, one line for each way to pay. */
export function paymentLines({ entries: { x402 } }: StartResult): string[] {
  const lines = x402.restrictedCalls.flatMap(({ toolName }) => {
    const options = x402.paymentOptions.filter((option) => option.toolName === toolName);
    return options.length === 0 ? [`${shown(toolName)}: does not say what it costs`] : options.map(lineOf);
  });
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`] : lines;
}

function lineOf({ toolName, amount, asset, network, payTo, isValid }: PaymentOption): string {
  const verdict = isValid ? '' : ' (not valid)';
  return `${shown(toolName)}: ${shown(amount)} of ${shown(asset)} on ${shown(network)} to ${shown(payTo)}${verdict}`;
}

/** A finding's place with the name of the tool in place of its number. */
export function placeOf(location: string, { entries: { x402 } }: StartResult): string {
  return location.replace(/^restrictedCalls\[(\d+)\]/, (all, index: string) => {
    const call = x402.restrictedCalls[Number(index)];
    return call === undefined ? all : `payment[${plainText(call.toolName, 80)}]`;
  });
}

function shown(value: unknown): string {
  return value === null ? 'nothing' : plainText(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
