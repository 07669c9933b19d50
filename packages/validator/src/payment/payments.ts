import type { Finding } from '../findings/finding.ts';
import type { PaymentSignal } from '../probe/payment-signal.ts';
import { type RestrictedCall, type X402Entry, x402Entry } from '../snapshot/x402-entry.ts';
import { carrierFindings } from './carrier-findings.ts';
import { checkPayment } from './check-payment.ts';

/** Who asked for payment, and how. */
export interface Gate {
  toolName: string;
  signal: PaymentSignal;
}

/** Checks everything that was asked for. */
export function checkPayments(gates: readonly Gate[]): { x402: X402Entry; findings: Finding[] } {
  const calls: RestrictedCall[] = gates.map(({ toolName, signal }) => ({
    toolName,
    paymentRequired: signal.paymentRequired,
  }));
  const checked = calls.map(({ paymentRequired }, index) => checkPayment(paymentRequired, `restrictedCalls[${index}]`));
  const disagreements = gates.flatMap(({ signal }, index) => carrierFindings(signal, `restrictedCalls[${index}]`));
  return {
    x402: x402Entry(calls, checked),
    findings: [...checked.flatMap(({ findings }) => findings), ...disagreements],
  };
}
