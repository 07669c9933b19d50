import {
  type JSONRPCMessage,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from '@modelcontextprotocol/server';
import type { TaskProvider } from '../tasks/task-provider.ts';
import {
  acceptedTasks,
  followTasks,
  type TaskSubscription,
  taskSubscription,
  withAcceptedTasks,
} from '../tasks/task-subscriptions.ts';

/** Adds notifications of tasks to the subscriptions of a connection, which the SDK serves without them. */
export function withTaskNotifications(transport: Transport, tasks: TaskProvider): Transport {
  /** Subscriptions that the SDK has not acknowledged yet, and the ends of the others. */
  const pending = new Map<unknown, TaskSubscription>();
  const ends = new Map<unknown, () => void>();

  function end(id: unknown): void {
    pending.delete(id);
    ends.get(id)?.();
    ends.delete(id);
  }

  async function acknowledge(message: JSONRPCMessage, subscription: TaskSubscription): Promise<void> {
    const { id: subscriptionId } = subscription;
    const owner = undefined;
    const taskIds = await acceptedTasks(tasks, subscription, owner);
    if (!pending.delete(subscriptionId)) return;
    await transport.send(withAcceptedTasks(message, taskIds));
    const send = (notification: JSONRPCMessage) => void transport.send(notification).catch(() => {});
    const onEnd = () => ends.delete(subscriptionId);
    ends.set(subscriptionId, followTasks(tasks, { subscriptionId, taskIds, owner, send, onEnd }));
  }

  const outer: Transport = {
    start: () => transport.start(),
    close: () => transport.close(),
    async send(message, options) {
      const id = acknowledgedId(message);
      const subscription = pending.get(id);
      return subscription === undefined ? transport.send(message, options) : acknowledge(message, subscription);
    },
  };
  transport.onmessage = (message, extra) => {
    const subscription = taskSubscription(message);
    if (subscription?.refusal !== undefined) {
      const { id, refusal } = subscription;
      void transport.send({ jsonrpc: '2.0', id, error: { ...refusal, message: refusal.message } as never });
      return;
    }
    if (subscription !== undefined) pending.set(subscription.id, subscription);
    if ('method' in message && message.method === 'notifications/cancelled') end(message.params?.requestId);
    outer.onmessage?.(message, extra);
  };
  transport.onerror = (error) => outer.onerror?.(error);
  transport.onclose = () => {
    for (const id of [...ends.keys()]) end(id);
    outer.onclose?.();
  };
  return outer;
}

/** The id of the subscription that a message acknowledges. */
function acknowledgedId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged') return undefined;
  return message.params?._meta?.[SUBSCRIPTION_ID_META_KEY] as RequestId | undefined;
}
