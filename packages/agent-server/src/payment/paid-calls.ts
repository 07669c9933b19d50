import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { parsePaymentPayload } from '@x402/core/schemas';
import type { SettleResponse } from '@x402/core/types';
import { type Charge, openFacilitator } from './facilitator.ts';
import type { Replaced } from './hold-response.ts';
import { chargeOf, createOffers, type Offer } from './offers.ts';
import type { PaymentSettings, Price } from './payment-settings.ts';
import {
  type Answer,
  type Begun,
  createReceipts,
  isSuccess,
  type Outcome,
  type PaidRun,
  type ReceiptStore,
  refused,
  unavailable,
  withSettlement,
} from './receipts.ts';

/** A JSON-RPC message of MCP. */
export interface Message extends Answer {
  id?: unknown;
  method?: unknown;
  params?: {
    name?: unknown;
    arguments?: unknown;
    taskId?: unknown;
    status?: unknown;
    result?: unknown;
    _meta?: Record<string, unknown>;
  };
}

/** A request that has to be paid for, or asks for a task that has to be. */
export interface PaidRequest {
  message: Message;
  /** Unless it asks for a task. */
  tool?: string;
  offer: Offer | undefined;
  begun: Begun;
}

export interface PaidRunning extends PaidRequest {
  begun: { run: PaidRun };
  isAnswered?: boolean;
}

interface AdmitOptions {
  payment: unknown;
  mayWait: boolean;
  /** Who is authenticated: others do not get the answer for the same payment. */
  caller: string | undefined;
}

export interface PaidCalls {
  /** Undefined for a request that costs nothing. */
  admit(message: Message, options: AdmitOptions): Promise<PaidRequest | undefined>;
  /** What the client gets instead of the answer of a server: the same with its settlement, or a refusal. */
  exchange(message: Message, request: PaidRunning): Promise<Replaced>;
  /** The notification of a task, whose result has to be paid for. */
  exchangeNotice(message: Message): Promise<Replaced>;
  reply(request: PaidRequest, outcome: Outcome): Replaced;
  settleTask(taskId: string, result: unknown): Promise<void>;
  /** Rejects if something cannot be paid at these prices, or if the facilitator does not answer. */
  check(prices: Readonly<Record<string, Price>>): Promise<void>;
}

export interface PaidCallsOptions extends PaymentSettings {
  priceOf: (tool: string) => Price | undefined;
  status: 200 | 402;
  onError?: (error: Error) => void;
}

/** Connects messages of MCP with payments. */
export function createPaidCalls(store: ReceiptStore, { priceOf, status, ...settings }: PaidCallsOptions): PaidCalls {
  const facilitator = openFacilitator(settings.facilitator, settings.onError);
  const receipts = createReceipts(store, facilitator);
  const offerFor = createOffers(settings, facilitator);

  async function admitTask(message: Message, taskId: string, payment: unknown): Promise<PaidRequest | undefined> {
    async function charge(tool: string): Promise<Charge | undefined> {
      const price = priceOf(tool);
      return price === undefined ? undefined : chargeFor(payment, await offerFor(tool, price));
    }
    const begun = await receipts.ofTask(taskId, charge).then((run) => run && { run }, unavailable);
    // No offer: only the payment of its call pays for a task, and clients would sign another.
    return begun && { message, begun, offer: undefined };
  }

  async function admitCall(message: Message, tool: string, price: Price, { payment, ...options }: AdmitOptions) {
    const offer = await offerFor(tool, price).catch(unavailable);
    if ('refusal' in offer) return { message, tool, begun: offer, offer: undefined };
    const charge = chargeFor(payment, offer);
    if (charge === undefined)
      return { message, tool, begun: refused(payment === undefined ? howToPay : wrongForm), offer };
    const begun = await receipts.begin({ tool, args: message.params?.arguments, charge }, options);
    return { message, tool, begun, offer };
  }

  function reply({ message: { id = null }, offer }: PaidRequest, outcome: Outcome): Replaced {
    const head = { jsonrpc: '2.0', id };
    if ('answer' in outcome) {
      const { answer, settlement } = outcome;
      return { message: { ...head, ...answer }, ...settledHead(settlement) };
    }
    const { reason, isTemporary, settlement } = outcome.refusal;
    const headers = { 'Cache-Control': 'no-store', ...settledHead(settlement).headers };
    if (isTemporary || offer === undefined) {
      const message = { ...head, error: { code: isTemporary ? -32000 : 402, message: reason } };
      const refusal = isTemporary ? { status: 503, headers: { ...headers, 'Retry-After': '10' } } : { status, headers };
      return { message, ...refusal, ...(status === 200 && { status }) };
    }
    const data = { ...offer.required, error: reason };
    const message = { ...head, error: { code: 402, message: `Payment required: ${reason}`, data } };
    const required = { ...headers, 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(data) };
    // Clients of version 1 read the body of a 402. Those of MCP, at 200, expect nothing but JSON-RPC.
    const legacy = { x402Version: 1, accepts: offer.legacy };
    return { message: status === 200 ? message : { ...message, ...legacy }, status, headers: required };
  }

  /** Settles the result of a task that has completed. */
  async function settledTask(result: unknown, run: PaidRun): Promise<Outcome | undefined> {
    return isSuccess({ result }) ? run.settle({ result }) : undefined;
  }

  return {
    admit(message, options) {
      const { method, params } = message;
      const { name, taskId, _meta } = Object(params) as NonNullable<Message['params']>;
      const payment = Object(_meta)['x402/payment'] ?? options.payment;
      if ((method === 'tasks/get' || method === 'tasks/result') && typeof taskId === 'string')
        return admitTask(message, taskId, payment);
      const price = method === 'tools/call' && typeof name === 'string' ? priceOf(name) : undefined;
      if (price === undefined) return Promise.resolve(undefined);
      return admitCall(message, String(name), price, { ...options, payment });
    },
    async exchange(message, request) {
      const { begun, tool } = request;
      const { result, error } = message;
      const task = tool === undefined ? undefined : taskOf(result);
      if (task !== undefined) await begun.run.defer({ result }, { ...task, tool: String(tool) });
      else if (tool !== undefined) {
        const outcome = await begun.run.settle(error === undefined ? { result } : { error });
        request.isAnswered = 'answer' in outcome;
        return isFree(outcome) ? { message } : reply(request, outcome);
      }
      // `tasks/result` answers with the result of the task, those of 2026-07-28 have it inside.
      const { method } = request.message;
      const { status: state, result: inner } = Object(result) as { status?: unknown; result?: unknown };
      const given = method === 'tasks/result' ? result : state === 'completed' ? inner : undefined;
      if (method !== 'tasks/result' && (state === 'failed' || state === 'cancelled')) await begun.run.release();
      const outcome = await settledTask(given, begun.run);
      request.isAnswered = outcome === undefined || 'answer' in outcome;
      if (outcome === undefined) return { message };
      if ('refusal' in outcome) return reply(request, outcome);
      // The server's own message, in which it has said what the revision of MCP asks for.
      const shown = withSettlement(given, outcome.settlement);
      const whole = method === 'tasks/result' ? shown : { ...Object(result), result: shown };
      return { message: { ...message, result: whole }, ...settledHead(outcome.settlement) };
    },
    async exchangeNotice(message) {
      const { taskId, result } = Object(message.params) as NonNullable<Message['params']>;
      if (typeof taskId !== 'string' || result === undefined) return { message };
      const run = await receipts.ofTask(taskId, async () => undefined);
      const outcome = run && (await settledTask(result, run));
      if (outcome === undefined) return { message };
      const { result: _withheld, ...params } = Object(message.params);
      const shown = 'answer' in outcome ? { result: withSettlement(result, outcome.settlement) } : {};
      return { message: { ...message, params: { ...params, ...shown } } };
    },
    reply,
    settleTask: (taskId, result) => receipts.settleTask(taskId, { result }),
    async check(prices) {
      await Promise.all(Object.entries(prices).map(([tool, price]) => offerFor(tool, price)));
    },
  };
}

const howToPay = 'Send a payment in the header PAYMENT-SIGNATURE or X-PAYMENT, or in _meta["x402/payment"].';
const wrongForm = 'The payment is not one of x402 for a price in accepts.';

/** The charge of a payment, which may be the text of a header. */
function chargeFor(payment: unknown, offer: Offer): Charge | undefined {
  const { data } = parsePaymentPayload(typeof payment === 'string' ? fromHeader(payment) : payment);
  return data && chargeOf(data as Charge['paymentPayload'], offer);
}

/** JSON in base64. Some clients of version 1 send plain JSON. */
function fromHeader(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('{') ? text : Buffer.from(text, 'base64').toString());
  } catch {
    return undefined;
  }
}

function settledHead(settlement: SettleResponse | undefined): Pick<Replaced, 'headers'> {
  if (settlement === undefined) return {};
  const text = encodePaymentResponseHeader(settlement);
  return { headers: { 'PAYMENT-RESPONSE': text, 'X-PAYMENT-RESPONSE': text } };
}

function isFree(outcome: Outcome): boolean {
  return 'answer' in outcome && outcome.settlement === undefined;
}

/** The task that a result stands for, in the forms of both generations of MCP. */
function taskOf(result: unknown): { taskId: string; ttlMs: number } | undefined {
  const { task, resultType, ...flat } = Object(result) as { task?: object; resultType?: unknown };
  const given = (resultType === 'task' ? flat : task) as
    | { taskId?: unknown; ttl?: unknown; ttlMs?: unknown }
    | undefined;
  if (typeof given?.taskId !== 'string') return undefined;
  return { taskId: given.taskId, ttlMs: Number(given.ttlMs ?? given.ttl ?? 0) };
}
