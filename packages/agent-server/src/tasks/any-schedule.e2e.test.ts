import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases, hasDatabase } from '../../fixtures/database-servers.ts';
import {
  type Happening,
  type OpenStore,
  type Process,
  type Simulation,
  simulate,
  type ToolName,
} from '../../fixtures/simulated-processes.ts';
import type { Charge, Facilitator } from '../payment/facilitator.ts';
import { openRunStore } from '../store/open-run-store.ts';
import { parseEvents } from './task-state.ts';

// The laws of runs, whatever happens to the processes that work on them:
//
// 1. A run ends once, and once more for each time that somebody has it tried again. After its end, nothing is written but that.
// 2. Its journal is numbered without gaps, and written by whoever has the lease.
// 3. Who has the lease sends no call whose answer is recorded. (A process that was stopped between its decision and the request may.)
// 4. A call that may change something is sent once at most, one with an idempotency key always with the same key.
// 5. A payment is charged once at most, after a run that it pays for has succeeded and was not cancelled; the answer is given if it was
//    charged. Whoever pays and waits gets it.

interface Order {
  isPaid: boolean;
  rounds: ToolName[][];
}

type Command =
  | { does: 'step'; which: number; times: number }
  | { does: 'fail'; which: number }
  | { does: 'advance'; ms: number }
  | { does: 'open' }
  | { does: 'kill' | 'stop' | 'continue' | 'close'; process: number }
  | { does: 'start' | 'cancel' | 'retry' | 'answer' | 'fetch' | 'pay again'; order: number; process: number };

const small = fc.nat(20);
const command = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ does: fc.constant('step' as const), which: small, times: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('fail' as const), which: small }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('advance' as const), ms: fc.constantFrom(400, 2_000, 6_000, 31_000) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('open' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constantFrom('kill' as const, 'stop', 'continue', 'close'), process: small }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom('start' as const, 'cancel', 'retry', 'answer', 'fetch', 'pay again'),
      order: small,
      process: small,
    }),
  },
);
const toolName = fc.constantFrom<ToolName>('look', 'put', 'order', 'pay', 'ask_user');
const order: fc.Arbitrary<Order> = fc.record({
  isPaid: fc.boolean(),
  rounds: fc.array(fc.array(toolName, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
});
const settlement = fc.constantFrom('ok', 'ok', 'declined', 'lost before', 'lost after');

const forEver = { owner: undefined, client: { capabilities: { elicitation: {} } }, ttlMs: 24 * 60 * 60_000 };
const startOptions = { ...forEver, callTool: async () => ({ content: [] }) };
const tool = { listing: { name: 'shop' } } as Parameters<Process['engine']['start']>[0];

function chargeOf(payment: number): Charge {
  const payload = { authorization: { from: '0xA', nonce: `${payment}` }, signature: '0x' };
  return {
    paymentPayload: { x402Version: 1, scheme: 'exact', network: 'a:b', payload },
    paymentRequirements: {} as never,
  };
}

/** What a client does and knows. */
function createClients(world: Simulation, orders: readonly Order[]) {
  /** By the order: the runs whose ids its client has. */
  const known = new Map<number, string[]>();
  const given = new Set<number>();
  let attempts = 0;
  const knows = (index: number, id: string) => known.set(index, [...new Set([...(known.get(index) ?? []), id])]);
  const wasCharged = (index: number) => world.happened.some((each) => each.what === 'charged' && each.order === index);

  async function start({ engine, receipts }: Process, index: number): Promise<void> {
    attempts += 1;
    const args = { run: `${index}/${attempts}` };
    if (orders[index]?.isPaid !== true) return void knows(index, (await engine.start(tool, args, startOptions)).taskId);
    const begun = await receipts.begin({ tool: 'shop', args: { index }, charge: chargeOf(index) }, { mayWait: true });
    if ('answer' in begun) {
      const { taskId } = begun.answer.result as { taskId?: string };
      if (taskId !== undefined) return void knows(index, taskId);
      // The run has ended: this is its answer.
      expect(wasCharged(index)).toBe(true);
      given.add(index);
    }
    if (!('run' in begun)) return;
    const { taskId } = await engine.start(tool, args, startOptions);
    await begun.run.defer({ result: { taskId } }, { taskId, tool: 'shop', ttlMs: forEver.ttlMs });
    knows(index, taskId);
  }

  async function fetch({ engine, receipts }: Process, index: number, pays: boolean): Promise<void> {
    for (const id of known.get(index) ?? []) {
      const run = await receipts.ofTask(id, async () => (pays ? chargeOf(index) : undefined));
      const state = await engine.get(id, undefined);
      if (state?.status !== 'completed' || state.result?.isError === true) continue;
      const outcome = await run?.settle({ result: state.result });
      if (outcome !== undefined && 'refusal' in outcome) continue;
      if (orders[index]?.isPaid) expect(wasCharged(index)).toBe(true);
      given.add(index);
    }
  }

  return {
    ...{ start, fetch, known, given },
    unanswered: () => [...known.keys()].filter((index) => wasCharged(index) && !given.has(index)),
    async cancel({ engine }: Process, index: number): Promise<void> {
      for (const id of known.get(index) ?? []) await engine.cancel(id, undefined);
    },
    async answer({ engine }: Process, index: number): Promise<void> {
      for (const id of known.get(index) ?? []) {
        const [key] = Object.keys((await engine.get(id, undefined))?.inputRequests ?? {});
        const responses = key && { [key]: { action: 'accept', content: { answer: 'yes' } } };
        if (responses) await engine.answer(id, undefined, responses);
      }
    },
  };
}

/** A facilitator that has its moods. */
function createFacilitator(moods: readonly string[], happened: () => Happening[]): Facilitator {
  const left = [...moods];
  const wasCharged = (index: number) => happened().some((each) => each.what === 'charged' && each.order === index);
  const nonceOf = ({ paymentPayload }: Charge) => Number(Object(paymentPayload.payload).authorization.nonce);
  const used = 'invalid_exact_evm_nonce_already_used';
  return {
    supported: () => new Promise(() => {}),
    verify: async (charge) => ({ isValid: !wasCharged(nonceOf(charge)), invalidReason: used }),
    async settle(charge) {
      const mood = left.shift() ?? 'ok';
      const answer = { transaction: '0x', network: 'a:b' } as const;
      if (wasCharged(nonceOf(charge))) return { ...answer, success: false, errorReason: used };
      if (mood === 'declined') return { ...answer, success: false, errorReason: 'insufficient_funds' };
      if (mood !== 'lost before') happened().push({ what: 'charged', order: nonceOf(charge) });
      if (mood !== 'ok') throw new Error('The connection was lost.');
      return { ...answer, success: true };
    },
  };
}

async function play(
  orders: readonly Order[],
  commands: readonly Command[],
  moods: readonly string[],
  open?: OpenStore,
): Promise<void> {
  const world: Simulation = await simulate(
    (run) => orders[Number(run.split('/')[0])]?.rounds ?? [],
    createFacilitator(moods, () => world.happened),
    open,
  );
  const { store, happened, processes } = world;
  const clients = createClients(world, orders);
  const retries = new Map<string, number>();
  const failures: unknown[] = [];
  const attempt = (doing: Promise<unknown>) =>
    void doing.catch((error: Error) => error.name === 'AssertionError' && failures.push(error));
  const kill = (process: Process) => world.kill(process);
  const alive = () => processes.filter(({ state }) => state === 'runs');

  async function perform(action: Command): Promise<void> {
    if (action.does === 'step')
      for (let time = 0; time < action.times; time += 1) {
        world.step(action.which);
        await world.settle();
      }
    else if (action.does === 'fail') world.step(action.which, true);
    else if (action.does === 'advance') world.advance(action.ms);
    else if (action.does === 'open') world.open();
    else if ('order' in action) {
      const index = action.order % orders.length;
      if (action.does === 'retry') {
        for (const id of clients.known.get(index) ?? []) {
          const isEnded = (await store.get(id))?.phase === 'ended';
          await store.request(id, { type: 'retry' });
          if (isEnded) retries.set(id, (retries.get(id) ?? 0) + 1);
        }
        return;
      }
      const process = alive()[action.process % alive().length];
      if (process === undefined) return;
      if (action.does === 'start') attempt(clients.start(process, index));
      else if (action.does === 'fetch' || action.does === 'pay again')
        attempt(clients.fetch(process, index, action.does === 'pay again'));
      else attempt(clients[action.does](process, index));
    } else if (action.does === 'continue') {
      const stopped = processes.filter(({ state }) => state === 'stopped');
      const process = stopped[action.process % stopped.length];
      if (process) process.state = 'runs';
    } else {
      const process = alive()[action.process % alive().length];
      if (process === undefined) return;
      if (action.does === 'kill') kill(process);
      else if (action.does === 'stop') process.state = 'stopped';
      else {
        process.state = 'closing';
        attempt(process.engine.close().then(() => kill(process)));
      }
    }
  }

  /** Lets everything go on until nobody waits, and the time passes in which leases run out. */
  async function goOn(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await world.settle();
      while (world.waiting() > 0) {
        world.step(0);
        await world.settle();
      }
      world.advance(1_000);
    }
  }

  world.open();
  for (const [index] of orders.entries()) await perform({ does: 'start', order: index, process: 0 });
  for (const action of commands) {
    await perform(action);
    await world.settle();
  }

  const last = world.open();
  const stopped = processes.filter(({ state }) => state === 'stopped');
  /** Until all runs have ended. Those whose ids reached nobody are not answered, but cancelled. */
  async function finish(): Promise<void> {
    await goOn(8);
    for (let time = 0; time < 20; time += 1) {
      const open = (await store.list({ limit: 1_000 })).filter(({ phase }) => phase !== 'ended');
      if (open.length === 0) return;
      const ids = [...clients.known.values()].flat();
      for (const { id, phase } of open)
        if (phase === 'paused' && !ids.includes(id)) await store.request(id, { type: 'cancel' });
      for (const [index] of orders.entries()) attempt(clients.answer(last, index));
      await goOn(8);
    }
  }
  await finish();
  for (const process of stopped) if (process.state === 'stopped') process.state = 'runs';
  await finish();
  // A process that is gone holds a payment for 30 seconds.
  for (const [index] of orders.entries())
    for (let time = 0; time < 8; time += 1) {
      attempt(clients.fetch(last, index, true));
      await goOn(5);
    }
  // Whoever has a run tried again that has succeeded, and cancels it, gets the answer for the payment alone.
  for (const index of clients.unanswered()) attempt(clients.start(last, index));
  await goOn(1);
  for (const process of processes) kill(process);

  expect(failures).toEqual([]);
  for (const run of await store.list({ limit: 1_000 })) {
    expect(run.phase).toBe('ended');
    const events = parseEvents(run.id, await store.read(run.id));
    const types = events.map(({ type }) => type);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, number) => number));
    expect(types.filter((type) => type === 'run.ended')).toHaveLength(1 + (retries.get(run.id) ?? 0));
    for (const [number, type] of types.slice(0, -1).entries())
      if (type === 'run.ended') expect(types[number + 1]).toBe('run.resumed');
  }
  checkCalls(happened);
  checkCharges(happened, orders, clients);
  await store.close();
}

function checkCalls(happened: readonly Happening[]): void {
  const leases = new Map<string, number>();
  const answered = new Set<string>();
  const sent = new Map<string, string[]>();
  for (const each of happened) {
    if (each.what === 'claimed') leases.set(each.run, each.fence);
    else if (each.what === 'wrote') {
      expect(each.fence).toBe(leases.get(each.run));
      if (each.event.type === 'tool.answered') answered.add(`${each.run} ${each.event.id}`);
    } else if (each.what === 'sent') {
      const [round = '', index = ''] = each.n.split('.');
      const call = `${each.run} ${Number(round) + 1}.${Number(index) + 1}`;
      if (each.fence === leases.get(each.run)) expect(answered).not.toContain(call);
      sent.set(`${each.tool} ${call}`, [...(sent.get(`${each.tool} ${call}`) ?? []), each.key]);
    }
  }
  for (const [call, keys] of sent) {
    if (call.startsWith('order ')) expect([call, keys.length]).toEqual([call, 1]);
    expect(new Set(keys).size).toBe(1);
  }
  const all = [...sent.values()].map(([key]) => key);
  expect(new Set(all).size).toBe(all.length);
}

function checkCharges(
  happened: readonly Happening[],
  orders: readonly Order[],
  { known, given }: ReturnType<typeof createClients>,
): void {
  const names = new Map<string, number>();
  const succeeded = new Set<number>();
  const charged = new Set<number>();
  for (const [index, ids] of known) for (const id of ids) names.set(id, index);
  for (const each of happened) {
    if (each.what === 'charged') {
      expect(succeeded).toContain(each.order);
      expect(charged).not.toContain(each.order);
      charged.add(each.order);
    } else if (each.what === 'wrote' && each.event.type === 'run.ended') {
      const { status, answer } = each.event;
      const { run } = Object(answer) as { run?: string };
      if (status === 'success' && !each.isCancelled) succeeded.add(Number(run?.split('/')[0]));
    }
  }
  for (const index of charged) expect(orders[index]?.isPaid).toBe(true);
  for (const index of charged) if (known.has(index)) expect(given).toContain(index);
}

const property = (open?: OpenStore) =>
  fc.asyncProperty(
    fc.array(order, { minLength: 1, maxLength: 3 }),
    fc.array(command, { maxLength: 60 }),
    fc.array(settlement, { maxLength: 4 }),
    (...schedule) => play(...schedule, open),
  );
/** A larger number looks longer: `SIMULATED_SCHEDULES=20000`. */
const numRuns = Number(process.env.SIMULATED_SCHEDULES ?? 300);
const law = 'whatever happens to its processes, a run ends once, repeats no write, and is charged once if it succeeds';

test(law, async () => fc.assert(property(), { numRuns }), 3_600_000);

describe.each(['redis', 'postgres'] as const)('%s', (kind) => {
  test.skipIf(!hasDatabase(kind))(
    law,
    async () => {
      const server = await databases[kind]();
      onTestFinished(() => server.close());
      const open: OpenStore = async (now) => {
        await server.clear();
        return openRunStore(server.url, { now });
      };
      // Each call takes a message to a server and back.
      await fc.assert(property(open), { numRuns: Math.ceil(numRuns / 15) });
    },
    3_600_000,
  );
});
