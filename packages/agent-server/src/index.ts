export { InMemoryTaskStore, type Task, type TaskStore } from '@schemakit/server';
export { AgentConfigError } from './manifest/check-config.ts';
export type * from './manifest/config.ts';
export type { Prices, PriceTable } from './model/ai-sdk-model.ts';
export type { JsonObject, ToolCall, Usage } from './model/model.ts';
export type { LlmConfig } from './model/open-model.ts';
export type { Effect, Question, RunEvent, RunStatus } from './run/events.ts';
export {
  type AgentMcp,
  AgentToolsServer,
  type ManifestServer,
  type ManifestsSettings,
  type Middleware,
  type ToolDefinition,
} from './serve/agent-tools-server.ts';
export { progressText } from './serve/progress-text.ts';
export type { RunReport } from './serve/run-result.ts';
export { openRuns, type RunSummary, type StoredRuns } from './tasks/stored-runs.ts';
