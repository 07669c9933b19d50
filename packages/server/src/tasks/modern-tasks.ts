import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { CallResult } from '../catalog/tool-catalog.ts';
import { anyParams, type Params } from '../protocol.ts';
import { notingRetryAfter } from '../retry-after.ts';
import { declaresTasks, missingExtension, taskOwner, unknownTask } from './task-calls.ts';
import type { TaskProvider, TaskState } from './task-provider.ts';

/** The result of a call that became a task: as it stands, without its details. */
export function modernTaskResult({ result, error, inputRequests, ...task }: TaskState): CallResult {
  return { resultType: 'task', ...task } as unknown as CallResult;
}

/** A task with its details, for `tasks/get` and `notifications/tasks`. */
export function detailedTask({ result, error, inputRequests, ...task }: TaskState): Record<string, unknown> {
  return {
    ...task,
    ...(error !== undefined && { statusMessage: task.statusMessage ?? error.message, error }),
    ...(result !== undefined && { result: { resultType: 'complete', ...result } }),
    ...(inputRequests !== undefined && { inputRequests }),
  };
}

/** The methods of the Tasks extension (MCP 2026-07-28). */
export function serveModernTasks(server: Server, tasks: TaskProvider): void {
  const serve = (
    method: string,
    answer: (taskId: string, context: ServerContext) => Promise<Record<string, unknown>>,
  ) => {
    const handle = notingRetryAfter(async ({ taskId }: Params, context) => {
      const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (context.mcpReq.envelope ?? {}) as Params;
      if (!declaresTasks(Object(capabilities))) throw missingExtension(`${method} needs the Tasks extension.`);
      return { resultType: 'complete', ...(await answer(String(taskId), context)) };
    });
    server.setRequestHandler(method, { params: anyParams }, handle);
  };

  serve('tasks/get', async (taskId, context) => {
    const state = await tasks.get(taskId, taskOwner(context));
    if (state === undefined) throw unknownTask(taskId);
    return detailedTask(state);
  });
  serve('tasks/update', async (taskId, context) => {
    const state = await tasks.answer(taskId, taskOwner(context), context.mcpReq.inputResponses ?? {});
    if (state === undefined) throw unknownTask(taskId);
    return {};
  });
  serve('tasks/cancel', async (taskId, context) => {
    const state = await tasks.cancel(taskId, taskOwner(context));
    if (state === undefined) throw unknownTask(taskId);
    return {};
  });
}
