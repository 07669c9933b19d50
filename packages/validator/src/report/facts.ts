import { plainText } from '../findings/plain-text.ts';
import type { Entries } from '../snapshot/snapshot.ts';
import type { PaymentOption } from '../snapshot/x402-entry.ts';
import type { StartResult } from '../start.ts';

/** The most important facts of a result, as names and values for people. */
export function facts({ categories, entries }: StartResult): (readonly [name: string, value: string])[] {
  const { serverName, serverVersion, protocolVersion, transport, latency } = entries;
  const shown = (value: unknown): string => (value === null ? '-' : plainText(String(value), 200));
  return [
    ['Endpoint', shown(entries.endpoint)],
    ['Reachable', yesNo(categories.isReachable)],
    ['MCP', categories.supportsMcp ? `yes, ${shown(protocolVersion)} over ${shown(transport)}` : 'no'],
    ['Server', [serverName ?? '-', serverVersion ?? ''].map(shown).join(' ').trimEnd()],
    ['Offers', offers(entries)],
    ['Called', called(entries)],
    ['Payment', payment(entries)],
    ['OAuth', authorization(entries)],
    ['Latency', latencies(latency)],
  ];
}

function latencies({ connect, listTools }: Entries['latency']): string {
  if (connect === null) return '-';
  return listTools === null ? `connect ${connect} ms` : `connect ${connect} ms, tools/list ${listTools} ms`;
}

function offers({ tools, resources, prompts, complete }: Entries): string {
  if (!complete.server) return 'not seen';
  const kinds = [
    [tools, 'tool', complete.tools],
    [resources, 'resource', complete.resources],
    [prompts, 'prompt', complete.prompts],
  ] as const;
  return kinds.map(([items, name, isWhole]) => `${count(items, name)}${isWhole ? '' : ' (not all seen)'}`).join(', ');
}

/** What became of the tools; without calls nothing is known of payment. */
function called({ probe, probeMode }: Entries): string {
  if (probeMode === null || probeMode === 'none') return 'no tool';
  const outcomes = Map.groupBy(probe, ({ outcome }) => outcome);
  const counts = [...outcomes].map(([outcome, { length }]) => `${length} ${outcome}`);
  return counts.length === 0 ? 'no tool' : counts.join(', ');
}

function payment({ x402, complete }: Entries): string {
  const { restrictedCalls, paymentOptions, networks } = x402;
  if (restrictedCalls.length === 0)
    return complete.x402 ? 'none asked for' : 'not known: not all tools got as far as a payment';
  const valid = paymentOptions.filter(({ isValid }) => isValid).length;
  const places = networks.length > 0 ? ` (${plainText(networks.join(', '), 200)})` : '';
  return `asked for by ${restrictedCalls.length}; valid ways to pay: ${valid} of ${paymentOptions.length}${places}`;
}

function authorization({ oauth, oauthFlags, transport, complete }: Entries): string {
  if (transport === 'stdio') return 'does not apply';
  if (oauth.isRequired === true) return 'required';
  if (oauthFlags.supportsOAuth) return 'advertised';
  return complete.oauth ? 'none advertised' : 'not known';
}

function count(items: readonly unknown[], name: string): string {
  return `${items.length} ${name}${items.length === 1 ? '' : 's'}`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** More ways to pay than anybody reads. */
const MAX_LINES = 50;

/** What each tool costs, one line for each way to pay. */
export function paymentLines({ entries: { x402 } }: StartResult): string[] {
  const lines = x402.restrictedCalls.flatMap(({ toolName }) => {
    const options = x402.paymentOptions.filter((option) => option.toolName === toolName);
    return options.length === 0 ? [`${fieldText(toolName)}: does not say what it costs`] : options.map(lineOf);
  });
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`] : lines;
}

function lineOf({ toolName, amount, asset, network, payTo, isValid }: PaymentOption): string {
  const verdict = isValid ? '' : ' (not valid)';
  return `${fieldText(toolName)}: ${fieldText(amount)} of ${fieldText(asset)} on ${fieldText(network)} to ${fieldText(payTo)}${verdict}`;
}

/** A finding's place with the name of the tool in place of its number. */
export function placeOf(location: string, { entries: { x402 } }: StartResult): string {
  return location.replace(/^restrictedCalls\[(\d+)\]/, (all, index: string) => {
    const call = x402.restrictedCalls[Number(index)];
    return call === undefined ? all : `payment[${plainText(call.toolName, 80)}]`;
  });
}

function fieldText(value: unknown): string {
  return value === null ? 'nothing' : plainText(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
