import { forkWorker, type Worker } from './processes/fork-worker.ts';
import { startUpstream } from './processes/start-upstream.ts';
import { rounds as roundsOfRun } from './programs/agent-loops.ts';
import type { BenchmarkResult, Comparison, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** How long each measurement takes; the first ones of a process take longer, until its code is compiled. */
const milliseconds = 600;
const warmUpMilliseconds = 2500;
/** Runs at once in the measurement of memory. */
const together = 500;

const rivals = { hand: 'by hand with the AI SDK', agentClass: 'ToolLoopAgent' } as const;
type Side = 'schemakit' | keyof typeof rivals;

function eachSide<Value>(make: (side: Side) => Value): Record<Side, Value> {
  return { schemakit: make('schemakit'), hand: make('hand'), agentClass: make('agentClass') };
}

/** Runs of an agent against the same loop written with the AI SDK: processes that ask the same scripted model by turns. */
export async function benchAgent({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  const model = await startUpstream(new URL('./programs/scripted-model.ts', import.meta.url));
  try {
    const comparisons = await compareRounds(model.url, rounds);
    comparisons.push(...(await compareTogether(model.url, Math.ceil(rounds / 3))));
    return { title: `agent: runs of ${roundsOfRun} rounds over a model without delay`, comparisons, notes };
  } finally {
    await model.close();
  }
}

const notes = [
  'A call is one round: a request to the model on loopback, and one tool that adds two numbers. A real model takes a thousand times longer.',
  'Ours also checks arguments and answers, masks secrets, keeps a journal, and counts costs; the rivals check nothing.',
  `${together} at once: of a fresh process that has made one run; memory is what they add at most, so a ${together}th of it is that of a run.`,
];

async function compareRounds(url: string, rounds: number): Promise<Comparison[]> {
  const program = new URL('./programs/run-agents.ts', import.meta.url);
  const workers = eachSide((side) => forkWorker(program, [side, url]));
  const all = Object.values(workers);
  try {
    for (const worker of all) await worker.hello();
    const comparisons: Comparison[] = [];
    for (const concurrency of [1, 32]) {
      const run = { call: 'run', concurrency };
      for (const worker of all) await worker.ask({ ...run, milliseconds: warmUpMilliseconds });
      const measured = await interleave(
        eachSide((side) => () => roundOf(workers[side], run)),
        { rounds },
      );
      comparisons.push(...againstRivals(`${concurrency} at a time`, { measured, unit: 'µs a call', atMost: 1.3 }));
    }
    return comparisons;
  } finally {
    await Promise.all(all.map((worker) => worker.close()));
  }
}

/** What a round takes, not a run. */
async function roundOf(worker: Worker, run: object): Promise<Measurement> {
  const { value, cpu } = await worker.ask<Measurement>({ ...run, milliseconds });
  return { value: value / roundsOfRun, cpu: cpu && cpu / roundsOfRun };
}

async function compareTogether(url: string, rounds: number): Promise<Comparison[]> {
  const program = new URL('./programs/agents-together.ts', import.meta.url);
  const runAll = (side: Side) => async () => {
    const worker = forkWorker(program, [side, url, String(together)]);
    const measured = await worker.hello<Record<'time' | 'memory', Measurement>>();
    await worker.close();
    return measured;
  };
  const measured = await interleave(eachSide(runAll), { rounds, warmUps: 0 });
  const part = (name: 'time' | 'memory') => eachSide((side) => measured[side].map((each) => each[name]));
  return [
    ...againstRivals(`${together} at once, until all ended`, { measured: part('time'), unit: 'ms' }),
    ...againstRivals(`${together} at once, memory`, { measured: part('memory'), unit: 'MB' }),
  ];
}

function againstRivals(
  what: string,
  { measured, unit, atMost }: { measured: Record<Side, Measurement[]>; unit: Comparison['unit']; atMost?: number },
): Comparison[] {
  return (['hand', 'agentClass'] as const).map((side) => ({
    what,
    unit,
    rival: { name: rivals[side], measurements: measured[side] },
    ours: measured.schemakit,
    ...(atMost !== undefined && { target: { atMost } }),
  }));
}
