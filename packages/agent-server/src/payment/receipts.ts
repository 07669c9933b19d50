import type { SettleResponse } from '@x402/core/types';
import type { RunStore } from '../store/run-store.ts';
import { type Every, every as everySystem } from '../tasks/timers.ts';
import type { Charge, Facilitator } from './facilitator.ts';
import { hash, receiptKey } from './receipt-key.ts';

/** Where receipts are remembered. */
export type ReceiptStore = Pick<RunStore, 'putRecord' | 'getRecord' | 'deleteRecord'>;

/** A JSON-RPC response without its id. */
export interface Answer {
  result?: unknown;
  error?: unknown;
}

/** Why a paid call is not answered. After a temporary refusal, the same payment can be sent again. */
export interface Refusal {
  reason: string;
  isTemporary: boolean;
  /** Of a settlement that failed. */
  settlement?: SettleResponse;
}

/** What the client gets for its payment: an answer, which it has paid for if there is a settlement, or a refusal. */
export type Outcome = { answer: Answer; settlement?: SettleResponse } | { refusal: Refusal };

/** A call whose payment was verified. */
export interface PaidRun {
  /** Charges for an answer, unless it says that the call failed. The client may get only what this returns. */
  settle(answer: Answer): Promise<Outcome>;
  /** Gives the payment back: the call has no answer. */
  release(): Promise<void>;
  /** The answer is a task: it is charged for when the task has ended. */
  defer(answer: Answer, task: { taskId: string; tool: string; ttlMs: number }): Promise<void>;
}

export type Begun = { run: PaidRun } | Outcome;

export interface PaidCall {
  tool: string;
  args: unknown;
  charge: Charge;
}

export interface Receipts {
  /** Verifies a payment for a call. If it was used already, resolves to what became of it; `mayWait` if that call is running. */
  begin(call: PaidCall, options: { mayWait: boolean; caller?: string | undefined }): Promise<Begun>;
  /** The run of a task that is not paid yet; undefined for other tasks. After a restart it needs the payment again. */
  ofTask(taskId: string, chargeFor: (tool: string) => Promise<Charge | undefined>): Promise<PaidRun | undefined>;
  /**
   * Charges for a task that has ended, if this process has its payment; gives the payment back if the task failed. It may end before it
   * is known as the answer of its call.
   */
  settleTask(taskId: string, answer: Answer): Promise<void>;
}

/**
 * What is known of a payment. `call` identifies tool, arguments and payment. `running`: the call is answered by a task that is not
 * charged yet. `settling`: the facilitator was asked, and what became of it is unknown. `declined`: it said no.
 */
interface Receipt {
  state: 'running' | 'settling' | 'declined' | 'settled';
  call: string;
  /** The task that answers the call. */
  task?: Answer;
  settlement?: SettleResponse;
}

/** A payment that will be settled. `ms`: how long to remember it. */
interface Paying {
  key: string;
  call: string;
  charge: Charge;
  ms: number;
}

/** What is known of a task that is paid for. */
interface TaskNote extends Pick<Paying, 'key' | 'call' | 'ms'> {
  tool: string;
}

const answerMs = 10 * 60_000;
const receiptMs = 24 * 60 * 60_000;
const holdMs = 30_000;
const maxTasks = 10_000;
const maxEarly = 100;

/** Reasons of facilitators to settle nothing because the payment was carried out before. */
const isUsed = /nonce_already_used|authorization_used|already_settled|already_processed|duplicate_settlement/;

/**
 * Keeps payments and answers together, by these writes: hold, run, answer, `settling`, the facilitator, `settled`, give. Whoever holds a
 * payment is the only one who runs its call or settles it, of all processes. One that ends on the way holds it for 30 seconds more and
 * leaves this to the next call with the same payment:
 *
 * | It ended before     | stored                 | charged | the next call                                                    |
 * | ------------------- | ---------------------- | ------- | ---------------------------------------------------------------- |
 * | the answer          | nothing                | no      | runs                                                             |
 * | `settling`          | the answer             | no      | as above: nobody has seen the answer                             |
 * | the facilitator     | `settling`, the answer | no      | settles, gives the answer                                        |
 * | `settled`           | `settling`, the answer | yes     | settles again; that the payment was used counts as a settlement  |
 * | the answer is given | `settled`, the answer  | yes     | gives the answer                                                 |
 *
 * Only in the fourth row a facilitator's "used already" is believed to be about this call. One that it declined before is declined
 * again then: its payer may have spent it elsewhere.
 */
export function createReceipts(
  store: ReceiptStore,
  facilitator: Facilitator,
  { now = Date.now, every = everySystem }: { now?: () => number; every?: Every } = {},
): Receipts {
  /** Calls that run in this process, by their payments. */
  const open = new Map<string, { call: string; outcome: Promise<Outcome> }>();
  const tasks = new Map<string, PaidRun>();
  /** What tasks answered that ended while a call was open, whose answer they may be. */
  const early = new Map<string, Answer>();

  async function read(key: string): Promise<Receipt | undefined> {
    const text = (await store.getRecord(`payment-settled:${key}`)) ?? (await store.getRecord(`payment:${key}`));
    return text === undefined ? undefined : (JSON.parse(text) as Receipt);
  }

  async function write({ key, call, ms }: Omit<Paying, 'charge'>, rest: Omit<Receipt, 'call'>): Promise<void> {
    // A process that was stopped for longer than it held the payment must not overwrite that another one has settled it.
    const name = rest.state === 'settled' ? 'payment-settled' : 'payment';
    await store.putRecord(`${name}:${key}`, JSON.stringify({ ...rest, call } satisfies Receipt), {
      expiresAt: now() + ms,
    });
  }

  /** Takes a payment for this process alone, until the function that this returns is called. Undefined if it is taken. */
  async function hold(key: string): Promise<(() => Promise<void>) | undefined> {
    const put = (ifAbsent: boolean) =>
      store.putRecord(`payment-held:${key}`, '', { expiresAt: now() + holdMs, ifAbsent });
    if (!(await put(true))) return undefined;
    let renewal: Promise<unknown> = Promise.resolve();
    const stop = every(holdMs / 3, () => (renewal = put(false).catch(() => {})));
    return async () => {
      stop();
      await renewal;
      await store.deleteRecord(`payment-held:${key}`);
    };
  }

  /** Settles what was answered, or finds that it was settled before. The payment is held meanwhile. */
  async function collect({ charge, ...paying }: Paying, given?: Answer): Promise<Outcome> {
    const before = await read(paying.key);
    if (before !== undefined && before.call !== paying.call) return refused(usedElsewhere);
    const answerKey = `payment-answer:${paying.key}`;
    const isAsked = before !== undefined && before.state !== 'running';
    // An answer that may have been charged for is not replaced.
    const stored = isAsked ? await store.getRecord(answerKey) : undefined;
    const answer = stored === undefined ? given : (JSON.parse(stored) as Answer);
    if (answer === undefined) return refused('The payment was used more than ten minutes ago. Its answer is gone.');
    if (before?.settlement !== undefined) return paid(answer, before.settlement);
    if (stored === undefined) await store.putRecord(answerKey, JSON.stringify(answer), { expiresAt: now() + answerMs });
    await write(paying, { state: 'settling' });
    const { settlement, problem } = await facilitator.settle(charge).then(
      (settlement) => ({ settlement, problem: undefined }),
      (error: Error) => ({ settlement: undefined, problem: error.message }),
    );
    if (settlement === undefined || settlement.errorReason === 'settlement_pending')
      return later(`Nobody knows yet whether the payment was settled. ${problem ?? 'It is on its way'}.`);
    const reason = settlement.errorReason ?? settlement.errorMessage ?? 'the facilitator gave no reason';
    const wasSettled = before?.state === 'settling' && isUsed.test(reason);
    if (!settlement.success && !wasSettled) {
      await write(paying, { state: 'declined' });
      return { refusal: { reason: `The payment could not be settled: ${reason}`, isTemporary: false, settlement } };
    }
    const { errorReason: _reason, errorMessage: _message, ...receipt } = { ...settlement, success: true };
    // If this fails, the next call with the payment finds it settled.
    await write(paying, { state: 'settled', settlement: receipt }).catch(() => {});
    return paid(answer, receipt);
  }

  /** @param options.letGo Of a payment that is held. */
  function runOf(
    paying: Paying,
    { letGo, close = () => {} }: { letGo?: () => Promise<void>; close?: (outcome: Outcome) => void } = {},
  ): PaidRun {
    let held = letGo;
    let settled: Promise<Outcome> | undefined;
    /** Works on the payment while it is held, and lets it go. Undefined if another process holds it. */
    async function withHold<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
      const end = held ?? (await hold(paying.key));
      held = undefined;
      return end && work().finally(end);
    }
    /** A task that is not charged yet is none of this payment any more. */
    async function giveBack(): Promise<void> {
      if ((await read(paying.key))?.state === 'running') await store.deleteRecord(`payment:${paying.key}`);
    }
    async function settle(answer: Answer): Promise<Outcome> {
      if (isSuccess(answer)) return (await withHold(() => collect(paying, answer))) ?? later(isBeingUsed);
      await withHold(giveBack);
      return { answer };
    }
    return {
      async settle(answer) {
        settled ??= settle(answer).catch(storeFailed);
        const outcome = await settled;
        close(outcome);
        // The next one that asks for the answer settles anew.
        if ('refusal' in outcome) settled = undefined;
        return outcome;
      },
      async release() {
        await withHold(giveBack).catch(() => {});
        close(later('The call that it paid for ended without an answer. Nothing was charged.'));
      },
      async defer(answer, { taskId, tool, ttlMs }) {
        paying.ms = Math.max(ttlMs, receiptMs);
        const { charge: _, ...known } = paying;
        const note = JSON.stringify({ ...known, tool } satisfies TaskNote);
        await store.putRecord(`payment-task:${hash(taskId)}`, note, { expiresAt: now() + paying.ms });
        await withHold(() => write(known, { state: 'running', task: answer }));
        const [oldest] = tasks.keys();
        if (tasks.size >= maxTasks && oldest !== undefined) tasks.delete(oldest);
        tasks.set(taskId, this);
        const result = early.get(taskId);
        close({ answer });
        if (result !== undefined) void (isSuccess(result) ? this.settle(result) : this.release());
      },
    };
  }

  async function admit(paying: Paying, close: (outcome: Outcome) => void): Promise<Begun> {
    const letGo = await hold(paying.key);
    if (letGo === undefined) return later(isBeingUsed);
    let begun: Begun | undefined;
    try {
      const found = await read(paying.key);
      if (found === undefined) {
        const { isValid, invalidReason, invalidMessage } = await facilitator.verify(paying.charge);
        const reason = invalidReason ?? invalidMessage ?? 'no reason given';
        begun = isValid ? { run: runOf(paying, { letGo, close }) } : refused(`The payment is not valid: ${reason}`);
      } else if (found.call === paying.call && found.state === 'running' && found.task) begun = { answer: found.task };
      else begun = await collect(paying);
      return begun;
    } finally {
      if (begun === undefined || !('run' in begun)) await letGo();
    }
  }

  return {
    async begin({ tool, args, charge }, { mayWait, caller }) {
      const { payload } = charge.paymentPayload;
      const key = receiptKey(payload);
      const call = hash({ tool, args, payload, caller });
      const other = open.get(key);
      if (other !== undefined && other.call !== call) return refused(usedElsewhere);
      if (other !== undefined) return mayWait ? other.outcome : refused(isBeingUsed);
      const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
      const own = { call, outcome };
      const close = (ended: Outcome) => {
        if (open.get(key) === own) open.delete(key);
        if (open.size === 0) early.clear();
        resolve(ended);
      };
      open.set(key, own);
      const begun = await admit({ key, call, charge, ms: receiptMs }, close).catch(unavailable);
      if (!('run' in begun)) close(begun);
      return begun;
    },
    async ofTask(taskId, chargeFor) {
      const running = tasks.get(taskId);
      if (running !== undefined) return running;
      const text = await store.getRecord(`payment-task:${hash(taskId)}`);
      if (text === undefined) return undefined;
      const { tool, ...note } = JSON.parse(text) as TaskNote;
      if ((await read(note.key))?.state === 'settled') return undefined;
      const charge = await chargeFor(tool);
      if (charge === undefined || receiptKey(charge.paymentPayload.payload) !== note.key) return unpaidRun;
      const run = runOf({ ...note, charge });
      tasks.set(taskId, run);
      return run;
    },
    async settleTask(taskId, answer) {
      const run = tasks.get(taskId);
      if (run !== undefined) await (isSuccess(answer) ? run.settle(answer) : run.release());
      else if (open.size > 0 && early.size < maxEarly) early.set(taskId, answer);
    },
  };
}

/** Of a task whose payment this process does not have. */
const unpaidRun: PaidRun = {
  settle: async () => refused('The server was restarted. Send the payment of this task again.'),
  release: async () => {},
  defer: async () => {},
};

const usedElsewhere = 'The payment was used for another call.';
const isBeingUsed = 'The call that it pays for is running.';

/** Errors and questions to the user cost nothing. */
export function isSuccess({ result, error }: Answer): boolean {
  const { isError, resultType } = Object(result) as { isError?: unknown; resultType?: unknown };
  return error === undefined && result !== undefined && isError !== true && resultType !== 'input_required';
}

function paid(answer: Answer, settlement: SettleResponse): Outcome {
  return { answer: { result: withSettlement(answer.result, settlement) }, settlement };
}

/** A result that tells its settlement in `_meta`. */
export function withSettlement(result: unknown, settlement: SettleResponse | undefined): unknown {
  if (settlement === undefined) return result;
  const { _meta, ...rest } = Object(result) as { _meta?: object };
  return { ...rest, _meta: { ..._meta, 'x402/payment-response': settlement } };
}

export function refused(reason: string): { refusal: Refusal } {
  return { refusal: { reason, isTemporary: false } };
}

function later(reason: string): { refusal: Refusal } {
  return { refusal: { reason: `${reason} Send the same payment again in a moment.`, isTemporary: true } };
}

/** The facilitator or the store does not answer. */
export function unavailable(error: Error): { refusal: Refusal } {
  return { refusal: { reason: `Payments cannot be checked at the moment: ${error.message}.`, isTemporary: true } };
}

function storeFailed(error: Error): Outcome {
  return later(`The answer could not be stored, so nothing was charged for it: ${error.message}.`);
}
