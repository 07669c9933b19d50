import { existsSync } from 'node:fs';
import { AgentConfigError } from '../manifest/check-config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import type { RunEvent } from '../run/events.ts';
import { createRunState } from '../run/run-state.ts';
import { type RunReport, runResult } from '../serve/run-result.ts';
import { openRunStore } from '../store/open-run-store.ts';
import type { RunPhase, StoredRun } from '../store/run-store.ts';
import { readStoreKeys } from '../store/store-keys.ts';
import { parseStoreUrl } from '../store/store-url.ts';
import { parseEvents } from './task-state.ts';

/** A run in the store of a server. Times are ISO 8601. */
export interface RunSummary {
  id: string;
  /** Name of the MCP tool. */
  tool: string;
  /** `waiting` for a worker; `paused` until its user answers; `cancelled` also while its worker has not stopped yet. */
  state: RunPhase | 'cancelled';
  createdAt: string;
  updatedAt: string;
  /** When it is deleted. */
  expiresAt: string;
  /** How often its server has ended while it worked on the run. */
  kills: number;
  /** Of a run that has ended. */
  report?: RunReport;
  /** Why its journal cannot be read: the key is missing, for example. */
  problem?: string;
}

/** The runs in the store of a server, for those who look after it. */
export interface StoredRuns {
  /** The newest `limit` (default 100), oldest first. */
  list(options?: { limit?: number }): Promise<RunSummary[]>;
  /** A run with the events of its journal; undefined if there is none. */
  get(id: string): Promise<{ run: RunSummary; events: RunEvent[] } | undefined>;
  /** Asks the worker of a run to cancel it. One that has ended stays as it is. */
  cancel(id: string): Promise<RunSummary | undefined>;
  /**
   * Lets a run that has ended go on from where its journal stands, in the next server that has its tool. One that has succeeded stays as
   * it is.
   */
  retry(id: string): Promise<RunSummary | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the runs that a server keeps at `tasks`, while it is running or not.
 *
 * @param options.taskKeys The `taskKeys` of the server. Default: the environment variable `TASKS_KEY`.
 * @throws {@link AgentConfigError} for a URL that keeps no runs.
 * @example
 * const llm = { baseURL: 'https://api.anthropic.com', apiKey: 'your key' };
 * const schemas = [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })];
 * const file = 'agents/tide-guide/agent.mjs';
 * const { mcp } = await AgentToolsServer.fromManifest({ file, llm, schemas, tasks: 'sqlite:runs.db' });
 * await mcp.close(); // or while it serves
 * const runs = await openRuns('sqlite:runs.db');
 * for (const { id, tool, state } of await runs.list()) console.log(id, tool, state);
 * await runs.close();
 */
export async function openRuns(url: string, { taskKeys }: { taskKeys?: string } = {}): Promise<StoredRuns> {
  const { keys, findings } = readStoreKeys(taskKeys, 'TASKS_KEY');
  const parsed = parseStoreUrl(url);
  if (parsed.kind === 'wrong') findings.push(parsed.finding);
  else if (parsed.kind === 'memory')
    findings.push(wrong("tasks cannot be 'memory:': such runs are in the server alone"));
  // A file that is misspelt is not made.
  else if (parsed.kind === 'sqlite' && !existsSync(parsed.file))
    findings.push(wrong(`tasks names the file ${parsed.file}, which does not exist`));
  if (findings.length > 0) throw new AgentConfigError('openRuns', findings);
  const store = await openRunStore(url, { keys });

  const read = async (run: StoredRun) => {
    const events = parseEvents(run.id, await store.read(run.id));
    return { run: summaryOf(run, events), events };
  };
  /** One that cannot be read does not hide the others. */
  const summary = (run: StoredRun): Promise<RunSummary> =>
    read(run).then(
      (found) => found.run,
      (error: Error) => ({ ...summaryOf(run), problem: error.message }),
    );
  const request = async (id: string, type: 'cancel' | 'retry') => {
    const run = await store.request(id, { type });
    return run && summary(run);
  };
  return {
    async list({ limit = 100 } = {}) {
      let newest: StoredRun[] = [];
      for (let after: string | undefined; ; ) {
        const page = await store.list({ limit: pageSize, ...(after !== undefined && { after }) });
        newest = [...newest, ...page].slice(-limit);
        after = page.at(-1)?.id;
        if (page.length < pageSize || after === undefined) break;
      }
      // Only how a run ended needs its journal.
      return Promise.all(newest.map((run) => (run.phase === 'ended' ? summary(run) : summaryOf(run))));
    },
    async get(id) {
      const run = await store.get(id);
      return run && read(run);
    },
    cancel: (id) => request(id, 'cancel'),
    async retry(id) {
      const before = await store.get(id).then((run) => run && read(run));
      return before?.run.report?.status === 'success' ? before.run : request(id, 'retry');
    },
    close: () => store.close(),
  };
}

const pageSize = 500;

function wrong(problem: string) {
  return configFinding('AGS001', 'tasks', problem, 'Use the URL of the server.');
}

/** @param events Those of its journal, where it was read. */
function summaryOf(run: StoredRun, events?: readonly RunEvent[]): RunSummary {
  const { id, tool, phase, isCancelled, kills, createdAt, updatedAt, expiresAt } = run;
  const isRead = phase === 'ended' && events !== undefined;
  const report = isRead ? runResult(id, createRunState(events))._meta?.['schemakit/run'] : undefined;
  return {
    id,
    tool,
    state: isCancelled ? 'cancelled' : phase,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    kills,
    ...(report !== undefined && { report: report as RunReport }),
  };
}
