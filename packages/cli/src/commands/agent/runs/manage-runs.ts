import type { RunSummary, StoredRuns } from '@schemakit/agent-server';
import { type CommandResult, failed } from '../../../output/command-result.ts';
import { counted, reasonOf } from '../../../output/terminal-text.ts';
import { textTable } from '../../../output/text-table.ts';
import { openSecrets } from '../../../settings/open-settings.ts';
import { readSettings } from '../../../settings/read-settings.ts';
import { loadAgentServer, manifestFailure } from '../create-agent.ts';
import { effortText } from '../run-result.ts';
import { runAsHtml, runAsText } from './show-run.ts';

export interface RunsFlags {
  tasks: string;
  envFile?: string | undefined;
}

/** `schemakit agent runs list`: what is going on in a server, and what has ended. */
export function listRuns({ limit, ...flags }: RunsFlags & { limit: number }): Promise<CommandResult> {
  return withRuns(flags, async (runs) => {
    const listed = await runs.list({ limit });
    const rows = listed.map((run) => [
      run.id,
      run.tool,
      stateOf(run),
      timeOf(run.createdAt),
      run.report ? effortText(run.report) : (run.problem ?? ''),
    ]);
    return {
      document: { status: true, runs: listed },
      text: () => (rows.length === 0 ? 'No runs.' : textTable(['Run', 'Tool', 'State', 'Started', 'Effort'], rows)),
    };
  });
}

/** `schemakit agent runs show`: the steps of a run in time. The journal is the trace. */
export function showRun({ html, ...flags }: RunsFlags & { html: boolean }, id: string): Promise<CommandResult> {
  return withRuns(flags, async (runs) => {
    const found = await runs.get(id);
    if (found === undefined) return unknownRun(id);
    const { run, events } = found;
    if (html) return { document: { status: true }, isServer: true, text: () => runAsHtml(run, events) };
    return { document: { status: true, run, events }, text: () => runAsText(run, events) };
  });
}

/** `schemakit agent runs cancel`. */
export function cancelRun(flags: RunsFlags, id: string): Promise<CommandResult> {
  return withRuns(flags, async (runs) => {
    const run = await runs.cancel(id);
    if (run === undefined) return unknownRun(id);
    if (run.state === 'ended') return failed('other', { error: `The run ${id} has ended already.`, run });
    return { document: { status: true, run }, text: () => `The run ${id} is cancelled.` };
  });
}

/** `schemakit agent runs retry`. */
export function retryRun(flags: RunsFlags, id: string): Promise<CommandResult> {
  return withRuns(flags, async (runs) => {
    const before = await runs.get(id);
    if (before === undefined) return unknownRun(id);
    if (before.run.report === undefined) {
      const fix = `See what it does: schemakit agent runs show ${id} --tasks ${flags.tasks}`;
      return failed('other', { error: `The run ${id} has not ended.`, run: before.run, fix });
    }
    if (before.run.report.status === 'success')
      return failed('other', { error: `The run ${id} has succeeded already.`, run: before.run });
    const run = await runs.retry(id);
    return {
      document: { status: true, run },
      text: () => `The run ${id} goes on in the next server of its agent with these tasks.`,
    };
  });
}

async function withRuns(
  { tasks, envFile }: RunsFlags,
  use: (runs: StoredRuns) => Promise<CommandResult>,
): Promise<CommandResult> {
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const { AgentConfigError, openRuns } = installed.server;
  const { TASKS_KEY: taskKeys } = openSecrets(readSettings(), { envFile });
  try {
    const runs = await openRuns(tasks, { ...(taskKeys !== undefined && { taskKeys }) });
    try {
      return await use(runs);
    } finally {
      await runs.close();
    }
  } catch (error) {
    if (error instanceof AgentConfigError) return manifestFailure(error.findings);
    return failed('other', { error: reasonOf(error) });
  }
}

function unknownRun(id: string): CommandResult {
  const fix = 'See their ids: schemakit agent runs list --tasks <url>';
  return failed('notFound', { error: `There is no run ${id}. It may have expired.`, fix });
}

function stateOf({ state, report, problem, kills }: RunSummary): string {
  const ended = state === 'ended' ? (report?.status ?? state) : state;
  const shown = problem === undefined ? ended : `${ended}, unreadable`;
  return kills === 0 ? shown : `${shown}, interrupted ${counted(kills, 'time')}`;
}

function timeOf(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}
