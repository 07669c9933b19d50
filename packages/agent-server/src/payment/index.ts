export { type PaymentGate, type PaymentGateOptions, paymentGate } from './payment-gate.ts';
export type { FacilitatorSettings, PaymentSettings, Price, TokenPrice } from './payment-settings.ts';
