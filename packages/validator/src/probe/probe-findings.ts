import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, type PlainObject } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import type { PaymentSignal } from './payment-signal.ts';
import type { ProbedTool } from './probe-tools.ts';

/** What is told of the ways in which payment is asked for. */
const WAYS = {
  'PRB-006': 'by a JSON-RPC error, which x402 for MCP does not have',
  'PRB-007': 'as x402 for MCP has it',
  'PRB-008': 'by HTTP status 402, which MCP clients rarely see',
  'PRB-009': 'by a result in a form of its own',
} as const;

const PRICE_KEYS = ['agents-x402/paymentRequired', 'agents-x402/priceUSD', 'x402'];

/** What the probe has to say; one finding for a kind, whatever the number of tools. */
export function probeFindings(
  probed: readonly ProbedTool[],
  tools: readonly PlainObject[],
  { isListed = true, why = 'the time was over' }: { isListed?: boolean; why?: string } = {},
): Finding[] {
  if (tools.length === 0) {
    // A list that could not be read must not look like one that is empty.
    const unread = 'No tools to probe are known, since the list of tools could not be read';
    return [finding('PRB-005', 'tools', isListed ? 'There are no tools to probe' : unread)];
  }
  const about = (code: Code, text: string, isAbout: (tool: ProbedTool) => boolean): Finding[] =>
    findingAbout(probed.filter(isAbout), code, text);
  const gated = Object.entries(WAYS).flatMap(([code, way]) =>
    about(code as keyof typeof WAYS, `Payment is asked for ${way}`, ({ signal }) => signal?.code === code),
  );
  return [
    ...notedFindings(probed),
    ...gated,
    ...about('PRB-010', 'The result points to an x402 API', ({ pointsToApi }) => pointsToApi === true),
    ...about('PRB-011', 'Not called because of what they declare', ({ outcome }) => outcome === 'skipped'),
    ...advertised(tools),
    ...resultless(probed),
    ...uncalled(probed, why),
  ];
}

function findingAbout(tools: readonly { name: string }[], code: Code, text: string): Finding[] {
  const names = tools.map(({ name }) => name);
  return names.length === 0 ? [] : [finding(code, 'tools', `${text}: ${nameList(names)}`)];
}

/** What is told of a payment that something else than a tool asks for. */
export function wayFinding({ code }: PaymentSignal, who: string): Finding {
  return finding(code, 'tools', `${who} asks for payment ${WAYS[code]}`);
}

/** Tools whose answer says nothing of payment. One finding for a kind; where there is nothing else, nothing was seen. */
function resultless(probed: readonly ProbedTool[]): Finding[] {
  const told = (text: string, isAbout: (tool: ProbedTool) => boolean): Finding[] =>
    findingAbout(probed.filter(isAbout), 'PRB-004', text);
  const isRefusal = ({ outcome }: ProbedTool): boolean => outcome === 'arguments-refused';
  const isError = ({ outcome, note }: ProbedTool): boolean => outcome === 'error' && note === undefined;
  const isGuess = (tool: ProbedTool): boolean => tool.isGuess === true && (isRefusal(tool) || isError(tool));
  const guesses = told('No arguments were found that the input schema allows, and others gave no result', isGuess);
  if (probed.some(({ outcome }) => outcome === 'free' || outcome === 'gated')) {
    return [
      ...told(
        'Refused the arguments, so that a payment behind that check stays unseen',
        (tool) => isRefusal(tool) && !isGuess(tool),
      ),
      ...guesses,
      ...told('Answered with an error', (tool) => isError(tool) && !isGuess(tool)),
    ];
  }
  const text = 'No tool gave a result, so that a payment behind its checks stays unseen. Answered with an error';
  return [...told(text, (tool) => isRefusal(tool) || tool.outcome === 'error'), ...guesses];
}

/** A run that called nothing for lack of time must not look like one that found nothing. */
function uncalled(probed: readonly ProbedTool[], why: string): Finding[] {
  const left = probed.filter(({ outcome }) => outcome === 'not-called');
  const isNothing = probed.every(({ outcome }) => outcome === 'not-called' || outcome === 'skipped');
  if (!isNothing) return findingAbout(left, 'PRB-013', 'Not called because time or calls were used up');
  const findings = findingAbout(left, 'PRB-013', `No tool was called, because ${why}`);
  return findings.map((found) => ({ ...found, severity: 'ERROR' }));
}

/** Tools that failed for the same reason stand in one finding. */
function notedFindings(probed: readonly ProbedTool[]): Finding[] {
  const byNote = Map.groupBy(
    probed.filter(({ note }) => note !== undefined),
    ({ note }) => note,
  );
  return [...byNote]
    .slice(0, 20)
    .map(([note, tools]) => finding('PRB-004', 'tools', `${nameList(tools.map(({ name }) => name))}: ${note}`));
}

function advertised(tools: readonly PlainObject[]): Finding[] {
  const priced = tools.filter((tool) => PRICE_KEYS.some((key) => field(field(tool, '_meta'), key) !== undefined));
  const named = priced.map(({ name }) => ({ name: String(name) }));
  return findingAbout(named, 'PRB-012', 'A price is advertised');
}
