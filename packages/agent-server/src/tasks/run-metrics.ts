import type { RunStatus } from '../run/events.ts';
import type { RunCounts } from '../store/run-store.ts';

/** What this process has done with runs. */
export interface WorkerCounts {
  running: number;
  ended: ReadonlyMap<RunStatus | 'cancelled', number>;
}

/** The metrics of runs in the text format of Prometheus (version 0.0.4). `stored` is undefined while the store cannot be reached. */
export function runMetrics(
  stored: RunCounts | undefined,
  { running, ended }: WorkerCounts,
  { maxRuns, now }: { maxRuns: number; now: number },
): string {
  const lines = [
    ...metric('agent_store_up', 'gauge', 'Whether the store of runs can be reached.', stored ? 1 : 0),
    ...metric('agent_worker_runs', 'gauge', 'Runs that this process works on.', running),
    ...metric('agent_worker_max_runs', 'gauge', 'Runs that this process works on at most.', maxRuns),
    ...metric('agent_runs_ended_total', 'counter', 'Runs that ended in this process.', [...ended], 'status'),
  ];
  if (stored === undefined) return text(lines);
  const { kills, oldestWaitingAt = now, ...phases } = stored;
  const { waiting, running: all, paused } = phases;
  const byPhase = Object.entries({ waiting, running: all, paused, ended: phases.ended });
  return text([
    ...lines,
    ...metric('agent_runs', 'gauge', 'Runs in the store.', byPhase, 'phase'),
    ...metric(
      'agent_oldest_waiting_seconds',
      'gauge',
      'Age of the oldest run that waits.',
      (now - oldestWaitingAt) / 1000,
    ),
    ...metric('agent_kills_total', 'counter', 'Leases that ran out while a worker had a run.', kills),
  ]);
}

function metric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: number | readonly (readonly [string, number])[],
  label = '',
): string[] {
  const values =
    typeof value === 'number' ? [`${name} ${value}`] : value.map(([of, n]) => `${name}{${label}="${of}"} ${n}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values];
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
