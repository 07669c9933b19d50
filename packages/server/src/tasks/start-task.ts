import type { Server, ServerCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { CallResult, ServedTool } from '../catalog/tool-catalog.ts';
import type { InFlight } from '../in-flight.ts';
import { legacyTaskResult, legacyTasksCapability, serveLegacyTasks } from './legacy-tasks.ts';
import { modernTaskResult, serveModernTasks } from './modern-tasks.ts';
import { taskOwner, tasksExtension } from './task-calls.ts';
import type { StartOptions, TaskProvider } from './task-provider.ts';

/** The tasks of a connection. */
export interface ConnectionTasks {
  provider: TaskProvider;
  /** Called with the name of each tool whose call becomes a task. */
  onStart?: (tool: string) => void;
  /** Keeps the session of the connection as long as a task, so that it can go on after a restart. */
  keepSession?: ((ttlMs: number) => Promise<void>) | undefined;
}

/** The capabilities of a server with tasks. */
export function tasksCapabilities(isModern: boolean): ServerCapabilities {
  return isModern ? { extensions: { [tasksExtension]: {} } } : { tasks: legacyTasksCapability };
}

/** Starts a call as a task. Resolves to the result of the request, which has the task. */
export type StartTask = (
  tool: ServedTool,
  args: Record<string, unknown>,
  options: Omit<StartOptions, 'owner'>,
  context: ServerContext,
) => Promise<CallResult>;

/** Serves the methods of tasks, in the revision of the connection. Returns the function that starts one. */
export function serveTasks(
  server: Server,
  { provider, onStart, keepSession }: ConnectionTasks,
  { isModern, calls }: { isModern: boolean; calls: Pick<InFlight, 'begin'> },
): StartTask {
  const follow = isModern ? undefined : serveLegacyTasks(server, { tasks: provider, calls });
  if (isModern) serveModernTasks(server, provider);
  return async (tool, args, options, context) => {
    const owner = taskOwner(context);
    await keepSession?.(options.ttlMs);
    const state = await provider.start(tool, args, { ...options, owner });
    onStart?.(tool.listing.name);
    if (follow === undefined) return modernTaskResult(state);
    follow({ taskId: state.taskId, owner, progressToken: context.mcpReq._meta?.progressToken });
    return legacyTaskResult(state);
  };
}
