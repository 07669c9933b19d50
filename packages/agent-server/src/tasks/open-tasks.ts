import { storeTasks, type TaskProvider } from '@schemakit/server';
import { AgentConfigError } from '../manifest/check-config.ts';
import type { AgentServerSettings } from '../manifest/config.ts';
import { openRunStore } from '../store/open-run-store.ts';
import { readStoreKeys } from '../store/store-keys.ts';
import { createTaskEngine, type TaskEngine, type TaskEngineOptions } from './task-engine.ts';

/** The tasks of a server, and the engine that runs them where they can go on after a restart. */
export function openTasks(
  { tasks = 'memory:', taskKeys }: Pick<AgentServerSettings, 'tasks' | 'taskKeys'>,
  options: Omit<TaskEngineOptions, 'store'>,
): { provider: TaskProvider; engine?: TaskEngine } {
  if (typeof tasks !== 'string') return { provider: storeTasks(tasks.store) };
  const { keys, findings } = readStoreKeys(taskKeys);
  if (tasks !== 'memory:' && findings.length > 0) throw new AgentConfigError('AgentToolsServer', findings);
  // What is in memory ends with this server: nothing goes on, so nothing is waited for.
  const grace = tasks === 'memory:' && { graceMs: 0 };
  const engine = createTaskEngine({ ...options, ...grace, store: openRunStore(tasks, { keys }) });
  return { provider: engine, engine };
}
