import type { Measurement } from '../statistics/comparison.ts';

/** Asks a program of calls how fast one of them is. */
export interface CallQuestion {
  /** Name of the call. */
  call: string;
  /** Calls at a time. */
  concurrency: number;
  /** How long new calls are begun. */
  milliseconds: number;
}

/** Makes a call and throws unless it succeeds. `turn` differs from call to call. */
export type Call = (turn: number) => Promise<unknown>;

/** Turns this process into a worker that answers {@link CallQuestion}s about its calls. */
export function answerCallQuestions(calls: Readonly<Record<string, Call>>): void {
  process.on('message', async ({ call, ...load }: CallQuestion) => {
    const chosen = calls[call];
    if (chosen === undefined) throw new Error(`there is no call ${call}`);
    process.send?.(await measureCalls(chosen, load));
  });
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}

/** Microseconds from call to call, all those at a time together, and microseconds of this process's processor time for each. */
async function measureCalls(
  call: Call,
  { concurrency, milliseconds }: Omit<CallQuestion, 'call'>,
): Promise<Measurement> {
  let turn = 0;
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  const callInTurn = async () => {
    while (performance.now() - begun < milliseconds) await call(turn++);
  };
  await Promise.all(Array.from({ length: concurrency }, callInTurn));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { value: (1000 * (performance.now() - begun)) / turn, cpu: (user + system) / turn };
}
