import type { Layer } from '../../assess/layer.ts';
import type { Page } from '../../assess/page.ts';
import { httpEvidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field } from '../../findings/plain-object.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import { checkPayments, type Gate } from '../../payment/check-payment.ts';
import { priceOf } from '../../payment/price.ts';
import { signalInHttp } from '../../probe/payment-signal.ts';
import type { Run } from '../../run-steps.ts';
import { entriesOf } from '../../snapshot/entries.ts';
import { categoriesOf, type Entries } from '../../snapshot/snapshot.ts';
import { placeOf } from '../../snapshot/x402-entry.ts';
import type { AgentCard } from '../a2a/get-card.ts';
import { normalCard } from '../a2a/normal-card.ts';
import { paymentExtensions } from '../a2a/payment-extensions.ts';
import { isOtherThanMcp } from '../mcp/mcp-layer.ts';
import { paymentCodes } from './payment-codes.ts';

/** Stands for the tool name if a GET of the URL requires payment. */
const GET = '(GET)';

/** What the tools, the endpoint and the page want to be paid. */
export const paymentLayer: Layer = {
  name: 'payment',
  async run({ shared }) {
    const run = await shared.probed();
    const page = await shared.page();
    const traces = [...run.attempts.flatMap(({ exchange }) => exchange.http), ...page.hops];
    const other = traces.find(isOtherProtocol);
    const gates = gatesOf(run, page).filter(({ signal }) => other === undefined || signal.paymentRequired !== null);
    const { x402, findings } = checkPayments(gates);
    const entries = entriesOf({ ...run.seen, x402 });
    const ways = run.findings.filter(({ code }) => Object.hasOwn(paymentCodes, code));
    if (other !== undefined) ways.push(otherFinding(other));
    if (gates.length === 0 && ways.length === 0) {
      const missing = absence(run, page, entries);
      if (missing.state !== 'not-detected' || !isPaidAgent(await shared.card())) return { detected: false, ...missing };
      const skipped = 'The agent card declares x402, whose terms come with a task, and tasks are not sent.';
      return { detected: false, state: 'not-evaluated', skipped };
    }
    const all = categoriesOf(entries, { isReachable: run.isReachable, supportsMcp: run.seen.session !== undefined });
    const { supportsX402, hasValidPaymentRequirements, supportsExactScheme, supportsEvm, supportsSolana } = all;
    return {
      detected: true,
      categories: { supportsX402, hasValidPaymentRequirements, supportsExactScheme, supportsEvm, supportsSolana },
      entries: { ...x402, prices: x402.paymentOptions.map(priceOf), isComplete: entries.complete.x402 },
      findings: [...ways, ...withTerms(findings, gates, traces)],
    };
  },
};

function isPaidAgent(card: AgentCard): boolean {
  if (card.document === undefined) return false;
  return paymentExtensions(normalCard(card.document).capabilities, card.answer.headers).x402 !== undefined;
}

/** Why no payment was seen. */
function absence(
  run: Run,
  page: Page,
  { probe, probeMode, tools, complete }: Entries,
): { state: 'not-detected' | 'not-evaluated'; skipped: string } {
  if (!run.isReachable) return { state: 'not-evaluated', skipped: 'The endpoint cannot be reached.' };
  const isOther = isOtherThanMcp(run, page);
  if (run.seen.session === undefined && !isOther)
    return { state: 'not-evaluated', skipped: 'Whether tools require payment is unknown: there is no MCP session.' };
  const called = probe.filter(({ outcome }) => outcome === 'free').length;
  // An error may come before the payment is asked for.
  if (isOther || (complete.x402 && (called > 0 || tools.length === 0)))
    return { state: 'not-detected', skipped: 'Nothing that was called or read requires payment.' };
  const skipped = `Whether tools require payment is unknown: ${called} of ${tools.length} gave a result (probe: ${probeMode}).`;
  return { state: 'not-evaluated', skipped };
}

/** The gates of the run, and what a GET of the URL requires, unless the endpoint requires the same. */
function gatesOf({ gates }: Run, { hops }: Page): readonly Gate[] {
  const signal = signalInHttp(hops);
  if (signal === undefined) return gates;
  const terms = JSON.stringify(signal.paymentRequired);
  const isKnown = gates.some((gate) => JSON.stringify(gate.signal.paymentRequired) === terms);
  return isKnown ? gates : [...gates, { toolName: GET, signal }];
}

/** An HTTP 402 of the Machine Payments Protocol, or of L402 (once LSAT), whose terms are in another header. */
function isOtherProtocol({ status, headers }: HttpTrace): boolean {
  return status === 402 && /^(?:payment|l402|lsat)\b/i.test(headers['www-authenticate'] ?? '');
}

function otherFinding(trace: HttpTrace): Finding {
  const [scheme = ''] = (trace.headers['www-authenticate'] ?? '').split(/\s/, 1);
  const text = `Payment is required by \`WWW-Authenticate: ${scheme}\`, which is not checked`;
  return finding('PRB-014', 'endpoint', text, { evidence: httpEvidence(trace) });
}

/** Adds the terms that a finding is about, and names the tool in its location. */
function withTerms(findings: readonly Finding[], gates: readonly Gate[], traces: readonly HttpTrace[]): Finding[] {
  return findings.map((found) => {
    const [, index] = /^restrictedCalls\[(\d+)\]/.exec(found.location) ?? [];
    const gate = gates[Number(index)];
    if (gate === undefined) return found;
    const { toolName, signal } = gate;
    const trace = toolName.startsWith('(') ? traces.find(({ status }) => status === 402) : undefined;
    const terms = partEvidence(`tools/call ${toolName}`, termsAt(signal.paymentRequired, found.location));
    const evidence = trace === undefined ? terms : { ...terms, ...httpEvidence(trace), body: terms.body };
    const { code, severity, text } = found;
    return finding(code, placeOf(found.location, gates), text, { severity, evidence });
  });
}

/** The field that a location names; without it the payment option, else all terms. */
function termsAt(required: unknown, location: string): unknown {
  const [, index, name] = /\.accepts\[(\d+)\](?:\.(\w+))?/.exec(location) ?? [];
  const accepts = field(required, 'accepts');
  const option: unknown = index !== undefined && Array.isArray(accepts) ? accepts[Number(index)] : undefined;
  const value = name === undefined ? undefined : field(option, name);
  return name === undefined || value === undefined ? (option ?? required) : { [name]: value };
}
