import { Buffer, isUtf8 } from 'node:buffer';
import {
  type BrokerFailure,
  type BrokerRequest,
  type BrokerResponse,
  MAX_BODY_BYTES,
  type ToHost,
} from '../host-message.ts';
import { findTask, type RunningTask, send, type TaskSignal } from './tasks.ts';

/** Concurrent requests of a task. The others wait here, where their bodies use memory of this host. */
const MAX_OPEN = 32;

const pending = new Map<number, PromiseWithResolvers<BrokerResponse>>();
const queues = new WeakMap<RunningTask, { open: number; waiting: (() => void)[] }>();
let last = 0;

/** Asks the broker in the calling process to make a request for a task. Rejects with a `BrokerFailure`. */
export async function requestFromBroker(
  task: RunningTask,
  request: BrokerRequest,
  ownSignal?: TaskSignal,
): Promise<BrokerResponse> {
  if ((request.body?.length ?? 0) > MAX_BODY_BYTES) {
    throw { message: `the body is larger than ${MAX_BODY_BYTES} bytes` } satisfies BrokerFailure;
  }
  const queue = queues.get(task) ?? { open: 0, waiting: [] };
  queues.set(task, queue);
  if (queue.open >= MAX_OPEN) await new Promise<void>((resolve) => queue.waiting.push(resolve));
  queue.open += 1;
  try {
    return await exchange(task, request, ownSignal);
  } finally {
    queue.open -= 1;
    queue.waiting.shift()?.();
  }
}

function exchange(task: RunningTask, request: BrokerRequest, ownSignal?: TaskSignal): Promise<BrokerResponse> {
  const signals = ownSignal === undefined ? [task.signal] : [task.signal, ownSignal];
  const fetchId = ++last;
  const settlers = Promise.withResolvers<BrokerResponse>();
  const { promise, reject } = settlers;
  // Requests that are open when the task ends never settle: a rejection would look like an error of the handler.
  const drop = (): void => {
    pending.delete(fetchId);
    send({ type: 'abort-fetch', id: task.id, fetchId });
  };
  const abort = (): void => {
    drop();
    reject({ message: 'This operation was aborted', code: 'ABORT_ERR' } satisfies BrokerFailure);
  };
  const settle = (): void => {
    task.cleanups.delete(drop);
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  promise.then(settle, settle);
  if (signals.some(({ aborted }) => aborted) || findTask(task.id) !== task) {
    abort();
    return promise;
  }
  pending.set(fetchId, settlers);
  task.cleanups.add(drop);
  for (const signal of signals) signal.addEventListener('abort', abort);
  send({ type: 'fetch', id: task.id, fetchId, request: withTokensAsText(task, request) });
  return promise;
}

/**
 * The broker replaces tokens in text, not in bytes. Forms, the output of a `TextEncoder` and bodies of `node:http` are bytes, so
 * they are sent as text if they are UTF-8 and contain a token.
 */
function withTokensAsText({ secrets }: RunningTask, request: BrokerRequest): BrokerRequest {
  const { body } = request;
  if (secrets === undefined || body === undefined || typeof body === 'string') return request;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const hasToken = Object.values(secrets.tokens).some((token) => token !== '' && bytes.includes(token));
  return hasToken && isUtf8(bytes) ? { ...request, body: bytes.toString() } : request;
}

/** Handles the broker's answer to a request. */
export function receiveResponse(message: Extract<ToHost, { type: 'response' | 'no-response' }>): void {
  const request = pending.get(message.fetchId);
  pending.delete(message.fetchId);
  if (message.type === 'response') request?.resolve(message.response);
  else request?.reject(message.failure);
}
