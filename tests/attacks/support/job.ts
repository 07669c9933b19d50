import { setTimeout } from 'node:timers/promises';
import type { CodeAttack } from '../attack.ts';

/** What a program is told that calls an attacking schema. */
export interface Job {
  /** File of the attacking schema. */
  attack: string;
  /** File of the neighbour. */
  neighbour: string;
  /** What the neighbour is given. */
  secret: string;
  calls: NonNullable<CodeAttack['calls']>;
  /** Names of libraries that the attack declares. */
  libraries: readonly string[];
  neighbourLibraries: readonly string[];
  /** A module with a shared list. */
  list: string;
}

/** What such a program saw. */
export interface JobReport {
  told: string;
  written: number;
  neighbour: readonly string[];
  neighbourMs: number;
  changed: readonly string[];
}

interface Calls extends Pick<Job, 'calls'> {
  /** Calls the attacking schema and gives what it told. */
  attack: () => Promise<string>;
  /** Calls the neighbour, which takes `wait` milliseconds. */
  askNeighbour: (wait: number) => Promise<string>;
}

/** The order of calls: the neighbour before the attack, during it or after it, and the attack again where it asks for that. */
export async function makeCalls({
  calls,
  attack,
  askNeighbour,
}: Calls): Promise<Pick<JobReport, 'told' | 'neighbour' | 'neighbourMs'>> {
  const before = await askNeighbour(0);
  const during = calls === 'during' ? askNeighbour(500) : undefined;
  const told = [await attack()];
  if (calls === 'later') await setTimeout(200);
  const start = performance.now();
  const after = [await (during ?? askNeighbour(0))];
  const neighbourMs = performance.now() - start;
  if (calls === 'again') {
    told.push(await attack());
    after.push(await askNeighbour(0));
  }
  return { told: told.join('\n'), neighbour: [before, ...after], neighbourMs };
}
