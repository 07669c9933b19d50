import type { Layer } from '../../assess/layer.ts';
import type { Page } from '../../assess/page.ts';
import { partEvidence } from '../../findings/evidence.ts';
import type { Finding } from '../../findings/finding.ts';
import { checkPayments, type Gate } from '../../payment/check-payment.ts';
import { signalInHttp } from '../../probe/payment-signal.ts';
import { entriesOf } from '../../snapshot/entries.ts';
import { categoriesOf } from '../../snapshot/snapshot.ts';
import { paymentCodes } from './payment-codes.ts';

/** Stands for the tool name if a GET of the URL requires payment. */
const GET = '(GET)';

/** What the tools, the endpoint and the page want to be paid. */
export const paymentLayer: Layer = {
  name: 'payment',
  async run({ shared }) {
    const run = await shared.probed();
    const gates = withPage(run.gates, await shared.page());
    const ways = run.findings.filter(({ code }) => Object.hasOwn(paymentCodes, code));
    const { x402, findings } = checkPayments(gates);
    const entries = entriesOf({ ...run.seen, x402 });
    if (gates.length === 0 && ways.length === 0) {
      if (!run.isReachable)
        return { detected: false, state: 'not-evaluated', skipped: 'The endpoint cannot be reached.' };
      const isSeen = run.seen.session === undefined || entries.complete.x402;
      if (!isSeen) return { detected: false, state: 'not-evaluated', skipped: uncalled(entries) };
      return { detected: false, state: 'not-detected', skipped: 'Nothing that was called or read requires payment.' };
    }
    const all = categoriesOf(entries, { isReachable: run.isReachable, supportsMcp: run.seen.session !== undefined });
    const { supportsX402, hasValidPaymentRequirements, supportsExactScheme, supportsEvm, supportsSolana } = all;
    return {
      detected: true,
      categories: { supportsX402, hasValidPaymentRequirements, supportsExactScheme, supportsEvm, supportsSolana },
      entries: { ...x402, isComplete: entries.complete.x402 },
      findings: [...ways, ...withTerms(findings, gates)],
    };
  },
};

/** Adds the terms that a finding is about. */
function withTerms(findings: readonly Finding[], gates: readonly Gate[]): Finding[] {
  return findings.map((found) => {
    const [, index] = /^restrictedCalls\[(\d+)\]/.exec(found.location) ?? [];
    const gate = gates[Number(index)];
    if (gate === undefined) return found;
    const { toolName, signal } = gate;
    const request = toolName.startsWith('(') ? toolName.slice(1, -1) : `tools/call ${toolName}`;
    return { ...found, evidence: partEvidence(request, signal.paymentRequired) };
  });
}

/** Adds what a GET of the URL requires, unless the endpoint requires the same. */
function withPage(gates: readonly Gate[], { hops }: Page): readonly Gate[] {
  const signal = signalInHttp(hops);
  if (signal === undefined) return gates;
  const terms = JSON.stringify(signal.paymentRequired);
  const isKnown = gates.some((gate) => JSON.stringify(gate.signal.paymentRequired) === terms);
  return isKnown ? gates : [...gates, { toolName: GET, signal }];
}

function uncalled({ probe, probeMode, tools }: ReturnType<typeof entriesOf>): string {
  const called = probe.filter(({ outcome }) => outcome === 'free').length;
  return `Whether tools require payment is unknown: ${called} of ${tools.length} gave a result (probe: ${probeMode}).`;
}
