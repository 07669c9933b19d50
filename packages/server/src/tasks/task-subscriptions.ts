import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import type { Params } from '../protocol.ts';
import { detailedTask } from './modern-tasks.ts';
import { declaresTasks, hasEnded, missingExtension } from './task-calls.ts';
import type { TaskOwner, TaskProvider } from './task-provider.ts';

// `notifications/tasks` on the streams of `subscriptions/listen` (MCP 2026-07-28). The SDK serves these, but knows nothing of tasks.

/** A request to be notified of tasks. */
export interface TaskSubscription {
  /** The id of the request, which is on each notification. */
  id: RequestId;
  taskIds: readonly string[];
  /** The error for a client that does not declare the extension. */
  refusal?: Error;
}

/** What a `subscriptions/listen` asks of tasks; undefined for any other message. */
export function taskSubscription(message: unknown): TaskSubscription | undefined {
  const { method, id, params = {} } = Object(message) as { method?: unknown; id: RequestId; params?: Params };
  if (method !== 'subscriptions/listen') return undefined;
  const { taskIds } = Object(params.notifications) as { taskIds?: unknown };
  if (!Array.isArray(taskIds)) return undefined;
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = Object(params._meta) as Params;
  const refusal = declaresTasks(Object(capabilities))
    ? undefined
    : missingExtension('Notifications of tasks need the Tasks extension.');
  return { id, taskIds: [...new Set(taskIds.map(String))], ...(refusal && { refusal }) };
}

/** The acknowledgement of a subscription, with the tasks that it has. */
export function withAcceptedTasks<Message extends object>(acknowledged: Message, taskIds: readonly string[]): Message {
  const { params = {} } = acknowledged as { params?: Params };
  const notifications = { ...Object(params.notifications), ...(taskIds.length > 0 && { taskIds }) };
  return { ...acknowledged, params: { ...params, notifications } };
}

/** Of the tasks of a subscription, those that the caller may see. */
export async function acceptedTasks(
  tasks: TaskProvider,
  { taskIds }: TaskSubscription,
  owner: TaskOwner,
): Promise<string[]> {
  const states = await Promise.all(taskIds.map((taskId) => tasks.get(taskId, owner)));
  return states.flatMap((state) => state?.taskId ?? []);
}

/**
 * Sends the state of each task now and after each change. Returns a function that ends this.
 *
 * @param options.onEnd Called when all tasks have ended.
 */
export function followTasks(
  tasks: TaskProvider,
  {
    subscriptionId,
    taskIds,
    owner,
    send,
    onEnd,
  }: {
    subscriptionId: RequestId;
    taskIds: readonly string[];
    owner: TaskOwner;
    send: (message: JSONRPCMessage) => void;
    onEnd: () => void;
  },
): () => void {
  const unwatches = new Map<string, () => void>();

  function finish(taskId: string): void {
    unwatches.get(taskId)?.();
    if (unwatches.delete(taskId) && unwatches.size === 0) onEnd();
  }

  function follow(taskId: string): void {
    let isStale = false;
    let isReading = false;
    // Changes that come while a state is read are sent together.
    async function show(): Promise<void> {
      isStale = true;
      if (isReading) return;
      isReading = true;
      while (isStale && unwatches.has(taskId)) {
        isStale = false;
        const state = await tasks.get(taskId, owner).catch(() => undefined);
        if (!unwatches.has(taskId)) return;
        if (state !== undefined) {
          const params = { ...detailedTask(state), _meta: { [SUBSCRIPTION_ID_META_KEY]: subscriptionId } };
          send({ jsonrpc: '2.0', method: 'notifications/tasks', params });
        }
        if (state === undefined || hasEnded(state)) finish(taskId);
      }
      isReading = false;
    }
    unwatches.set(
      taskId,
      tasks.watch(taskId, owner, () => void show()),
    );
    void show();
  }

  for (const taskId of taskIds) follow(taskId);
  return () => {
    for (const unwatch of unwatches.values()) unwatch();
    unwatches.clear();
  };
}
