import type { SettleResponse } from '@x402/core/types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSqliteRunStore } from '../store/sqlite-run-store.ts';
import type { Charge, Facilitator } from './facilitator.ts';
import { hash } from './receipt-key.ts';
import { createReceipts, type Outcome, type ReceiptStore } from './receipts.ts';

/** What happens to one call. `crash`: the number of the write to the store after which the process is gone. */
const step = fc.record({
  payment: fc.nat(2),
  args: fc.nat(1),
  result: fc.constantFrom('success', 'success', 'isError', 'error', 'nothing'),
  settle: fc.constantFrom('ok', 'ok', 'declined', 'lost before', 'lost after'),
  crash: fc.option(fc.nat(4)),
});

const gone = new Promise<never>(() => {});

function chargeOf(payment: number): Charge {
  const payload = { authorization: { from: '0xA', nonce: `${payment}` }, signature: '0x' };
  return {
    paymentPayload: { x402Version: 1, scheme: 'exact', network: 'a:b', payload },
    paymentRequirements: {} as never,
  };
}

test('whatever happens to calls, each is charged once at most, after a success, and answered only if charged', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
    let time = 0;
    const store = createSqliteRunStore(undefined, { now: () => Date.now() + time });
    const charged = new Map<number, number>();
    const succeeded = new Set<number>();
    for (const { payment, args, result, settle, crash } of steps) {
      // A process that is gone holds no payment any more.
      time += 31_000;
      let writes = 0;
      const crashed = Promise.withResolvers<'crashed'>();
      const counted = async <Value>(write: Promise<Value>): Promise<Value> => {
        const value = await write;
        if (writes++ === crash) crashed.resolve('crashed');
        return writes > (crash ?? Number.POSITIVE_INFINITY) ? gone : value;
      };
      const dying: ReceiptStore = {
        getRecord: (key) => store.getRecord(key),
        putRecord: (...record) => counted(store.putRecord(...record)),
        deleteRecord: (key) => counted(store.deleteRecord(key)),
      };
      const facilitator: Facilitator = {
        supported: () => gone,
        verify: async () => ({ isValid: !charged.has(payment), invalidReason: 'invalid_exact_evm_nonce_already_used' }),
        async settle() {
          const answer = { transaction: '0x', network: 'a:b' } as const;
          if (charged.has(payment))
            return { ...answer, success: false, errorReason: 'invalid_exact_evm_nonce_already_used' };
          if (settle === 'declined') return { ...answer, success: false, errorReason: 'insufficient_funds' };
          if (settle !== 'lost before') charged.set(payment, (charged.get(payment) ?? 0) + 1);
          if (settle !== 'ok') throw new Error('The connection was lost.');
          expect(succeeded).toContain(payment);
          return { ...answer, success: true };
        },
      };
      const call = async (): Promise<Outcome | undefined> => {
        const receipts = createReceipts(dying, facilitator);
        const begun = await receipts.begin({ tool: 'ask', args, charge: chargeOf(payment) }, { mayWait: true });
        if (!('run' in begun)) return begun;
        if (result === 'nothing') return void (await begun.run.release());
        if (result === 'success') succeeded.add(payment);
        return begun.run.settle(
          result === 'error' ? { error: {} } : { result: { args, isError: result === 'isError' } },
        );
      };
      const outcome = await Promise.race([call(), crashed.promise]);
      if (outcome === undefined || outcome === 'crashed' || 'refusal' in outcome) continue;
      const given = outcome.answer.result as { isError: boolean; args: number } | undefined;
      if (given?.isError !== false) continue;
      expect(outcome.settlement?.success).toBe(true);
      expect(charged.get(payment)).toBe(1);
      expect(given.args).toBe(args);
    }
    for (const [payment, times] of charged) expect([times, succeeded.has(payment)]).toEqual([1, true]);
  });
  await fc.assert(property, { numRuns: 500 });
});

test('a payment that was charged gets its answer, wherever the process ended', async () => {
  for (let crash = 0; crash <= 4; crash++) {
    let time = 0;
    const store = createSqliteRunStore(undefined, { now: () => Date.now() + time });
    let charges = 0;
    const facilitator: Facilitator = {
      supported: () => gone,
      verify: async () => ({ isValid: charges === 0 }),
      async settle() {
        charges += 1;
        const isFirst = charges === 1;
        return {
          success: isFirst,
          transaction: '0x',
          network: 'a:b',
          ...(!isFirst && { errorReason: 'duplicate_settlement' }),
        };
      },
    };
    let writes = 0;
    const crashed = Promise.withResolvers<void>();
    const dying: ReceiptStore = {
      getRecord: (key) => store.getRecord(key),
      deleteRecord: (key) => store.deleteRecord(key),
      async putRecord(...record) {
        if (writes++ === crash) crashed.resolve();
        return writes > crash ? gone : store.putRecord(...record);
      },
    };
    const call = async (on: ReceiptStore) => {
      const begun = await createReceipts(on, facilitator).begin(
        { tool: 'ask', args: {}, charge: chargeOf(1) },
        { mayWait: true },
      );
      return 'run' in begun ? begun.run.settle({ result: { text: 'done' } }) : begun;
    };
    await Promise.race([call(dying), crashed.promise]);
    if (charges === 0) continue;
    time = 31_000;
    expect(await call(store)).toMatchObject({ answer: { result: { text: 'done' } }, settlement: { success: true } });
  }
});

describe('a task', () => {
  const task = { taskId: 't1', tool: 'ask', ttlMs: 60_000 };
  const result = { result: { text: 'done' } };
  const call = { tool: 'ask', args: {}, charge: chargeOf(1) };
  const used = { success: false, transaction: '', network: 'a:b', errorReason: 'duplicate_settlement' } as const;

  function facilitatorOf(...answers: (() => Promise<SettleResponse>)[]) {
    const asked: unknown[] = [];
    const facilitator: Facilitator = {
      supported: () => gone,
      verify: async () => ({ isValid: true }),
      settle(charge) {
        asked.push(charge);
        return answers[asked.length - 1]?.() ?? Promise.resolve(used);
      },
    };
    return { facilitator, asked };
  }
  const charges = async () => ({ success: true, transaction: '0x', network: 'a:b' }) as const;

  async function begin(...given: Parameters<typeof createReceipts>) {
    const receipts = createReceipts(...given);
    const begun = await receipts.begin(call, { mayWait: true });
    if (!('run' in begun)) throw new Error('was not begun');
    return { receipts, run: begun.run };
  }

  test('that ends before it is known as the answer of its call is charged without its client', async () => {
    const { facilitator, asked } = facilitatorOf(charges);
    const { receipts, run } = await begin(createSqliteRunStore(), facilitator);
    await receipts.settleTask('t1', result);
    expect(asked).toEqual([]);
    await run.defer({ result: task }, task);
    await expect.poll(() => asked).toHaveLength(1);
    await expect.poll(() => receipts.ofTask('t2', async () => undefined)).toBeUndefined();
  });

  test('that another process has settled meanwhile stays paid', async () => {
    let time = 0;
    const store = createSqliteRunStore(undefined, { now: () => Date.now() + time });
    const other = createReceipts(store, facilitatorOf(charges).facilitator);
    // This process was stopped for longer than it held the payment, and then hears that the payment was used.
    const { facilitator } = facilitatorOf(async () => {
      time = 31_000;
      await (await other.ofTask('t1', async () => call.charge))?.settle(result);
      return used;
    });
    const { run } = await begin(store, facilitator);
    await run.defer({ result: task }, task);
    await run.settle(result);
    const again = await createReceipts(store, facilitator).begin(call, { mayWait: true });
    expect(again).toMatchObject({ answer: { result: { text: 'done' } }, settlement: { success: true } });
  });

  test('that was declined first, and then charged without an answer, is paid', async () => {
    const declined = async () => ({ ...used, errorReason: 'insufficient_funds' });
    const { facilitator } = facilitatorOf(declined, () => Promise.reject(new Error('The connection was lost.')));
    const { run } = await begin(createSqliteRunStore(), facilitator);
    await run.defer({ result: task }, task);
    expect(await run.settle(result)).toHaveProperty('refusal.isTemporary', false);
    expect(await run.settle(result)).toHaveProperty('refusal.isTemporary', true);
    expect(await run.settle(result)).toMatchObject({ answer: { result: { text: 'done' } } });
  });

  test('whose payment was spent elsewhere after it was declined stays unpaid', async () => {
    const declined = async () => ({ ...used, errorReason: 'insufficient_funds' });
    const { run } = await begin(createSqliteRunStore(), facilitatorOf(declined).facilitator);
    await run.defer({ result: task }, task);
    for (let time = 0; time < 3; time += 1)
      expect(await run.settle(result)).toHaveProperty('refusal.isTemporary', false);
  });

  test('whose receipt was lost in a crash is not given for nothing', async () => {
    let time = 0;
    const store = createSqliteRunStore(undefined, { now: () => Date.now() + time });
    const { facilitator } = facilitatorOf(charges);
    const { run } = await begin(store, facilitator);
    const crashing = Promise.withResolvers<never>();
    const { putRecord } = store;
    store.putRecord = (key, ...rest) =>
      key.startsWith('payment:') ? crashing.promise : putRecord.call(store, key, ...rest);
    void run.defer({ result: task }, task);
    await expect.poll(async () => (await store.getRecord(noteOf('t1'))) !== undefined).toBe(true);
    store.putRecord = putRecord;
    time = 31_000;
    const restarted = createReceipts(store, facilitator);
    const unpaid = await restarted.ofTask('t1', async () => undefined);
    expect(await unpaid?.settle(result)).toHaveProperty('refusal');
    const paid = await restarted.ofTask('t1', async () => call.charge);
    expect(await paid?.settle(result)).toMatchObject({ settlement: { success: true } });
  });
});

const noteOf = (taskId: string) => `payment-task:${hash(taskId)}`;
