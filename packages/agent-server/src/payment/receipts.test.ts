import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryRunStore } from '../store/memory-run-store.ts';
import type { Charge, Facilitator } from './facilitator.ts';
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
    const store = createMemoryRunStore({ now: () => Date.now() + time });
    const charged = new Map<number, number>();
    const succeeded = new Set<number>();
    for (const { payment, args, result, settle, crash } of steps) {
      // A claim of a process that is gone has run out.
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
    const store = createMemoryRunStore();
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
    expect(await call(store)).toMatchObject({ answer: { result: { text: 'done' } }, settlement: { success: true } });
  }
});
