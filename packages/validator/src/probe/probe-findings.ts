import type { Code } from '../findings/codes.ts';
import { partEvidence } from '../findings/evidence.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { nameList } from '../findings/plain-text.ts';
import type { PaymentSignal } from './payment-signal.ts';
import type { ProbedTool } from './probe-tools.ts';

/** Texts for the ways in which payment is required. */
const WAYS = {
  'PRB-006': 'by a JSON-RPC error, which is not part of x402 for MCP',
  'PRB-007': 'as in x402 for MCP',
  'PRB-008': 'by HTTP status 402, which MCP clients rarely see',
  'PRB-009': 'by a nonstandard result',
} as const;

/** What `_meta` of a tool may say about its price; other values say nothing. */
const PRICES: Readonly<Record<string, (value: unknown) => boolean>> = {
  'agents-x402/paymentRequired': (value) => value === true || isFilled(value),
  'agents-x402/priceUSD': (value) => ['number', 'string'].includes(typeof value) && Number(value) > 0,
  x402: isFilled,
};

function isFilled(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length > 0;
}

/** The findings of the probe, grouped by kind. */
export function probeFindings(
  probed: readonly ProbedTool[],
  tools: readonly PlainObject[],
  { isListed = true, why = 'the run timed out' }: { isListed?: boolean; why?: string } = {},
): Finding[] {
  if (tools.length === 0) {
    // An unreadable list must not look empty.
    const unread = 'No tools to probe are known, because the list of tools could not be read';
    return [finding('PRB-005', 'tools', isListed ? 'No tools to probe' : unread)];
  }
  const about = (code: Code, text: string, isAbout: (tool: ProbedTool) => boolean): Finding[] =>
    findingAbout(probed.filter(isAbout), code, text);
  const gated = Object.entries(WAYS).flatMap(([code, way]) =>
    about(code as keyof typeof WAYS, `Payment is required ${way}`, ({ signal }) => signal?.code === code),
  );
  return [
    ...notedFindings(probed),
    ...gated,
    ...about('PRB-010', 'The result points to an x402 API', ({ pointsToApi }) => pointsToApi === true),
    ...about(
      'PRB-011',
      'Not called because they may write, according to their annotations',
      ({ outcome }) => outcome === 'skipped',
    ),
    ...advertised(tools),
    ...resultless(probed),
    ...uncalled(probed, why),
  ];
}

/** The evidence is that of the first tool. */
function findingAbout(tools: readonly Pick<ProbedTool, 'name' | 'evidence'>[], code: Code, text: string): Finding[] {
  const [first] = tools;
  if (first === undefined) return [];
  const names = nameList(tools.map(({ name }) => name));
  return [finding(code, 'tools', `${text}: ${names}`, { evidence: first.evidence })];
}

/** The finding for a payment requirement of the endpoint itself. */
export function wayFinding({ code }: PaymentSignal, subject: string): Finding {
  return finding(code, 'tools', `${subject} requires payment ${WAYS[code]}`);
}

/** Findings for tools that returned errors, grouped by kind. */
function resultless(probed: readonly ProbedTool[]): Finding[] {
  const findingsFor = (text: string, isAbout: (tool: ProbedTool) => boolean): Finding[] =>
    findingAbout(probed.filter(isAbout), 'PRB-004', text);
  const isRefusal = ({ outcome }: ProbedTool): boolean => outcome === 'arguments-refused';
  const isError = ({ outcome, note }: ProbedTool): boolean => outcome === 'error' && note === undefined;
  const isGuess = (tool: ProbedTool): boolean => tool.isGuess === true && (isRefusal(tool) || isError(tool));
  const guesses = findingsFor('No valid arguments were found for the input schema, and others gave no result', isGuess);
  if (probed.some(({ outcome }) => outcome === 'free' || outcome === 'gated')) {
    return [
      ...findingsFor(
        'Refused the arguments, so a payment requirement after that check stays unknown',
        (tool) => isRefusal(tool) && !isGuess(tool),
      ),
      ...guesses,
      ...findingsFor('Answered with an error', (tool) => isError(tool) && !isGuess(tool)),
    ];
  }
  const text = 'No tool gave a result, so payment requirements after its checks stay unknown. Answered with an error';
  return [...findingsFor(text, (tool) => isRefusal(tool) || tool.outcome === 'error'), ...guesses];
}

/** A run without time for calls must not look like one without findings. */
function uncalled(probed: readonly ProbedTool[], why: string): Finding[] {
  const left = probed.filter(({ outcome }) => outcome === 'not-called');
  const isNothing = probed.every(({ outcome }) => outcome === 'not-called' || outcome === 'skipped');
  if (!isNothing) return findingAbout(left, 'PRB-013', 'Not called because a limit was reached');
  const findings = findingAbout(left, 'PRB-013', `No tool was called, because ${why}`);
  return findings.map((found) => ({ ...found, severity: 'ERROR' }));
}

/** Groups tools that failed for the same reason. */
function notedFindings(probed: readonly ProbedTool[]): Finding[] {
  const byNote = Map.groupBy(
    probed.filter(({ note }) => note !== undefined),
    ({ note }) => note,
  );
  return [...byNote].slice(0, 20).map(([note, tools]) => {
    const names = nameList(tools.map(({ name }) => name));
    return finding('PRB-004', 'tools', `${names}: ${note}`, { evidence: tools[0]?.evidence });
  });
}

function advertised(tools: readonly PlainObject[]): Finding[] {
  const priced = tools.filter((tool) =>
    Object.entries(PRICES).some(([key, isPrice]) => isPrice(field(field(tool, '_meta'), key))),
  );
  const named = priced.map((tool) => ({
    name: String(tool.name),
    evidence: partEvidence('tools/list', field(tool, '_meta')),
  }));
  return findingAbout(named, 'PRB-012', 'A price is advertised');
}
