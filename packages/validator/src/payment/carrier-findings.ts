import { type Finding, finding } from '../findings/finding.ts';
import { NOT_KEPT, type PaymentSignal } from '../probe/payment-signal.ts';
import { sameOffer } from './same-offer.ts';

/** What is told where a requirement does not stand alike in the two places that x402 has for it. */
export function carrierFindings({ code, paymentRequired, carriers }: PaymentSignal, location: string): Finding[] {
  if (carriers === undefined || NOT_KEPT.includes(paymentRequired as string)) return [];
  const { first, second, other } = carriers;
  if (other !== undefined) {
    const text = `${first} and ${second} ask for different payments`;
    return sameOffer(paymentRequired, other) ? [] : [finding('PAY-034', location, sentence(text))];
  }
  // A header that is there says something else than the body if nobody can read it.
  if (code === 'PRB-008') {
    const text = `${second} is not JSON in base64, so that clients which read headers see no payment`;
    return [finding('PAY-034', location, sentence(text))];
  }
  const text = `only ${first} says what it costs; clients that read ${second} alone do not see it`;
  return [finding('PAY-034', location, sentence(text), { severity: 'INFO' })];
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
