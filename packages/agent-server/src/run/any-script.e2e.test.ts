import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answerSchema,
  apis,
  failingTool,
  type RunRecord,
  type RunSetup,
  run,
  secret,
  tool,
} from '../../fixtures/scripted-run.ts';
import { createScriptedModel, type ScriptedFault, type ScriptedTurn } from '../testing/index.ts';
import { createValueCheck } from './check-value.ts';
import type { RunEvent } from './events.ts';
import { createMemoryJournal } from './journal.ts';
import { callKey } from './run-state.ts';

const text = fc.oneof(fc.constant(''), fc.string({ maxLength: 30 }), fc.constant('y'.repeat(3000)));
const args = fc.oneof({ weight: 6, arbitrary: fc.record({ page: fc.nat(2) }) }, fc.constantFrom([1], 'text', null, 7));
const call = fc.oneof(
  fc.record({ name: fc.constantFrom('search', 'order', 'fail', 'big', 'leak', 'nothing', 'read_answer'), args }),
  { weight: 1, arbitrary: fc.constant({ name: 'ask_user', args: { message: 'Is it?' } }) },
  fc.record({
    name: fc.constant('submit_answer'),
    args: fc.oneof(args, fc.constantFrom({ total: 3 }, { total: 'three' })),
  }),
);
const turn: fc.Arbitrary<ScriptedTurn> = fc.record(
  {
    text,
    calls: fc.array(call, { maxLength: 4 }),
    usage: fc.record({ inputTokens: fc.nat(3000), outputTokens: fc.nat(300) }),
    cutOff: fc.constantFrom(false, false, false, true),
  },
  { requiredKeys: ['calls'] },
);
const fault: fc.Arbitrary<ScriptedFault> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ status: fc.constantFrom(429, 500, 503, 529), retryAfter: fc.constant(0) }) },
  fc.constant<ScriptedFault>({ status: 400 }),
  fc.record({ cut: fc.constantFrom('before' as const, 'middle' as const) }),
  { weight: 2, arbitrary: fc.constant<ScriptedFault>({ malformedArguments: true }) },
  { weight: 2, arbitrary: fc.constant<ScriptedFault>({ cutOff: true }) },
);
const script = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 8 }),
  maxRounds: fc.integer({ min: 1, max: 6 }),
  contextTokens: fc.constantFrom(2500, 200_000),
  maxTotalTokens: fc.constantFrom(3000, 1_000_000),
});
const faults = fc.dictionary(fc.nat(8).map(String), fault, { maxKeys: 3 });

type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs a script from its n-th answer on; each call has an id of its own. */
async function play(
  { turns, maxRounds, contextTokens, maxTotalTokens }: Script,
  {
    api,
    journal,
    from = 0,
    faults: broken = {},
  }: Pick<RunSetup, 'api' | 'journal'> & { from?: number; faults?: Record<number, ScriptedFault> },
): Promise<RunRecord> {
  let answered = from;
  const model = await createScriptedModel({
    respond: () => {
      const scripted = turns[answered % turns.length] ?? {};
      answered += 1;
      const calls = (scripted.calls ?? []).map((each, index) => ({ ...each, id: `call-${answered}-${index}` }));
      return { ...scripted, calls };
    },
    faults: broken,
  });
  const tools = [
    tool('search', 'found'),
    tool('order', 'ordered', { effect: 'write' }),
    failingTool('fail'),
    tool('big', 'z'.repeat(5000)),
    tool('leak', `The key is ${secret}.`),
  ];
  const settings = { maxRounds, contextTokens, maxTotalTokens, maxTokens: 300, concurrency: 2 };
  const record = await run({ api, model, tools, settings, ...(journal && { journal }) });
  await model.close();
  return record;
}

/** What holds for every run, however it went. */
function expectSound({ events, state, scripted }: RunRecord): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(events.filter(({ type }) => type === 'run.ended')).toEqual([events.at(-1)]);
  if (state.ended?.status === 'success') expect(createValueCheck(answerSchema)(state.ended.answer)).toEqual([]);
  expect(JSON.stringify(scripted.requests.map(({ body }) => body))).not.toContain(secret);
  expect(JSON.stringify(events)).not.toContain(secret);
}

/** No call is sent again in a round that has its answer already. */
function expectNothingTwice(events: readonly RunEvent[]): void {
  let asked = new Map<string, string>();
  let answered = new Set<string>();
  for (const event of events) {
    if (event.type === 'model.answered') {
      asked = new Map(event.calls.map(({ id, name, args: given }) => [id, callKey(name, given)]));
      answered = new Set();
    }
    if (event.type === 'tool.called') expect(answered).not.toContain(asked.get(event.callId));
    if (event.type === 'tool.answered') answered.add(asked.get(event.callId) ?? '');
  }
}

describe.each(apis)('any script of turns and faults (%s)', (api) => {
  it('ends, within its limits and without secrets', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(script, faults, async (scripted, broken) => {
        const record = await play(scripted, { api, faults: broken });
        expectSound(record);
        expectNothingTwice(record.events);
        const isFailed = (number: number) => broken[number]?.status !== undefined || broken[number]?.cut !== undefined;
        const { length } = record.scripted.requests.filter((_, number) => !isFailed(number));
        expect(length).toBeLessThanOrEqual(scripted.maxRounds + 1);
        expect(record.scripted.requests.length).toBe(record.state.usage.requests);
        for (const { body } of record.scripted.requests)
          expect(Buffer.byteLength(JSON.stringify(body)) / 4).toBeLessThan(scripted.contextTokens);
        // Other errors would be refusals: requests that the real APIs refuse as well.
        const { status, reason = '' } = record.state.ended ?? {};
        const isCut = Object.values(broken).some(({ cut }) => cut !== undefined);
        if (status === 'error' && !isCut) expect(reason).toContain('Scripted: status');
      }),
      { numRuns: 60 },
    );
  });

  it('goes on from its journal after an interruption at any event', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.nat(), async (scripted, at) => {
        const { events } = await play(scripted, { api });
        const journal = createMemoryJournal('run-1');
        for (const event of events.slice(0, at % (events.length + 1))) journal.append(event);
        const answers = journal.events.filter((event) => event.type === 'model.answered' || 'summary' in event);
        const record = await play(scripted, { api, journal, from: answers.length });
        expectSound(record);
        expectNothingTwice(record.events);
        expect(record.state.ended?.status).not.toBe('error');
        const rounds = record.events.flatMap((event) => (event.type === 'model.answered' ? [event.round] : []));
        expect(rounds).toEqual(rounds.map((_, index) => index + 1));
        expect(rounds.length).toBeLessThanOrEqual(scripted.maxRounds);
      }),
      { numRuns: 60 },
    );
  });
});
