import type { Assessment } from '../assess/assess.ts';
import { codes } from '../findings/codes.ts';
import { plainText } from '../findings/plain-text.ts';
import type { Entries } from '../snapshot/snapshot.ts';
import { type PaymentOption, placeOf } from '../snapshot/x402-entry.ts';
import type { StartResult } from '../start.ts';
import { assessmentText } from './assessment-text.ts';
import { changeLines } from './changes.ts';
import type { ReportOptions } from './report-options.ts';

/** Formats a result of `start` or `assess` for a terminal: facts, findings with advice, changes. Escapes control characters. */
export function toText(result: StartResult | Assessment, options: ReportOptions = {}): string {
  return 'layers' in result ? assessmentText(result, options) : startText(result, options);
}

function startText(result: StartResult, { comparison }: ReportOptions): string {
  const width = Math.max(...facts(result).map(([name]) => name.length));
  const lines = facts(result).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const payments = paymentLines(result);
  if (payments.length > 0) lines.push('', 'Payment required:', ...payments.map((line) => `  ${line}`));
  if (result.findings.length > 0) lines.push('');
  for (const { code, severity, location, text } of result.findings) {
    lines.push(`${severity.padEnd(7)} ${code} ${placeOf(location, result.entries.x402.restrictedCalls)}: ${text}`);
    if (severity !== 'INFO') lines.push(`        ${codes[code].fix}`);
  }
  if (comparison !== undefined) lines.push('', ...changeLines(comparison));
  return `${lines.join('\n')}\n`;
}

/** The most important facts of a result, as names and values. */
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

/** The outcomes of calls; without calls, payment is unknown. */
function called({ probe, probeMode }: Entries): string {
  if (probeMode === null || probeMode === 'none') return 'no tool';
  const outcomes = Map.groupBy(probe, ({ outcome }) => outcome);
  const counts = [...outcomes].map(([outcome, { length }]) => `${length} ${outcome}`);
  return counts.length === 0 ? 'no tool' : counts.join(', ');
}

function payment({ x402, complete }: Entries): string {
  const { restrictedCalls, paymentOptions, networks } = x402;
  if (restrictedCalls.length === 0) return complete.x402 ? 'none required' : 'unknown: some tools gave no result';
  const valid = paymentOptions.filter(({ isValid }) => isValid).length;
  const places = networks.length > 0 ? ` (${plainText(networks.join(', '), 200)})` : '';
  return `required by ${restrictedCalls.length}; valid options: ${valid} of ${paymentOptions.length}${places}`;
}

function authorization({ oauth, oauthFlags, transport, complete }: Entries): string {
  if (transport === 'stdio') return 'does not apply';
  if (oauth.isRequired === true) return 'required';
  if (oauthFlags.supportsOAuth) return 'advertised';
  return complete.oauth ? 'none advertised' : 'unknown';
}

function count(items: readonly unknown[], name: string): string {
  return `${items.length} ${name}${items.length === 1 ? '' : 's'}`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

const MAX_LINES = 50;

/** The price of each tool, one line per payment option. */
export function paymentLines({ entries: { x402 } }: StartResult): string[] {
  const lines = x402.restrictedCalls.flatMap(({ toolName }) => {
    const options = x402.paymentOptions.filter((option) => option.toolName === toolName);
    return options.length === 0 ? [`${fieldText(toolName)}: states no price`] : options.map(lineOf);
  });
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`] : lines;
}

function lineOf({ toolName, amount, asset, network, payTo, isValid }: PaymentOption): string {
  const verdict = isValid ? '' : ' (not valid)';
  return `${fieldText(toolName)}: ${fieldText(amount)} of ${fieldText(asset)} on ${fieldText(network)} to ${fieldText(payTo)}${verdict}`;
}

function fieldText(value: unknown): string {
  return value === null ? 'nothing' : plainText(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
