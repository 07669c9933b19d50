import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { parsePaymentPayload } from '@x402/core/schemas';
import { AgentConfigError } from '../manifest/check-config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import { type Charge, openFacilitator } from './facilitator.ts';
import { holdResponse, type Replaced } from './hold-response.ts';
import { chargeOf, createOffers, type Offer } from './offers.ts';
import { expectedPrice, isPrice, type PaymentSettings, type Price, paymentProblems } from './payment-settings.ts';
import { readBody } from './read-body.ts';
import { type Answer, type Begun, createReceipts, type Outcome, type PaidRun, type ReceiptStore } from './receipts.ts';

export interface PaymentGateOptions extends PaymentSettings {
  /** Prices by the names of tools; others are free. A function is asked at each call, for servers whose tools have several names. */
  prices: Readonly<Record<string, Price>> | ((tool: string) => Price | undefined);
  /** Status of a refused call. Default 402. MCP clients hand the price to their program at 200 only. */
  status?: 200 | 402;
  /** Where receipts and answers are remembered: `memory:` (default) or `sqlite:<file>`, which survives a restart. */
  tasks?: string;
  /** Size limit of a request, in bytes. Default 4 MiB. */
  maxBodyBytes?: number;
}

/** Middleware of Express, Connect and `node:http`. */
export interface PaymentGate {
  (request: IncomingMessage & { body?: unknown }, response: ServerResponse, next: (error?: unknown) => void): void;
  /** Charges for a task when it has ended. Without it, the gate charges when a client gets the task's result. */
  settleTask(taskId: string, result: unknown): Promise<void>;
}
