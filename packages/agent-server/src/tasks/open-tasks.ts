import { createHash } from 'node:crypto';
import { storeTasks, type TaskProvider } from '@schemakit/server';
import { AgentConfigError } from '../manifest/check-config.ts';
import type { AgentServerSettings } from '../manifest/config.ts';
import type { LlmConfig } from '../model/open-model.ts';
import { openRunStore } from '../store/open-run-store.ts';
import { readStoreKeys } from '../store/store-keys.ts';
import { createTaskEngine, type TaskEngine, type TaskEngineOptions } from './task-engine.ts';

/** The tasks of a server, and the engine that runs them where they can go on after a restart. */
export function openTasks(
  { tasks = 'memory:', taskKeys, llm, maxRuns, maxWaiting, graceMs }: AgentServerSettings,
  options: Omit<TaskEngineOptions, 'store'>,
): { provider: TaskProvider; engine?: TaskEngine } {
  if (typeof tasks !== 'string') return { provider: storeTasks(tasks.store) };
  const { keys, findings } = readStoreKeys(taskKeys);
  if (tasks !== 'memory:' && findings.length > 0) throw new AgentConfigError('AgentToolsServer', findings);
  // What is in memory ends with this server: nothing goes on, so nothing is waited for.
  const grace = tasks === 'memory:' ? 0 : graceMs;
  const { rateLimit } = llm;
  const engine = createTaskEngine({
    ...options,
    store: openRunStore(tasks, { keys }),
    modelKey: modelKeyOf(llm),
    ...(grace !== undefined && { graceMs: grace }),
    ...(maxRuns !== undefined && { maxRuns }),
    ...(maxWaiting !== undefined && { maxWaiting }),
    ...(rateLimit !== undefined && { rateLimit }),
  });
  return { provider: engine, engine };
}

/** The same in all processes with a key of a model. The key cannot be found out from it, as long as it is no word. */
function modelKeyOf(llm: LlmConfig): string {
  const parts = 'model' in llm ? [llm.model.provider, llm.model.modelId] : [new URL(llm.baseURL).href, llm.apiKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
