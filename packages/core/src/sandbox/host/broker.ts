import { Buffer, isUtf8 } from 'node:buffer';
import {
  type BrokerFailure,
  type BrokerRequest,
  type BrokerResponse,
  MAX_BODY_BYTES,
  type ToHost,
} from '../host-message.ts';
import { findTask, type RunningTask, send, type TaskSignal } from './tasks.ts';

/** Requests of one task at a time; the others wait here, where their bodies count against this host's memory. */
const MAX_OPEN = 32;

interface Pending {
  resolve: (response: BrokerResponse) => void;
  reject: (failure: BrokerFailure) => void;
}

const pending = new Map<number, Pending>();
const lines = new WeakMap<RunningTask, { open: number; waiting: (() => void)[] }>();
let last = 0;

/** Has our process make a request for a task. Rejects with a `BrokerFailure`. */
export async function askBroker(
  task: RunningTask,
  request: BrokerRequest,
  ownSignal?: TaskSignal,
): Promise<BrokerResponse> {
  if ((request.body?.length ?? 0) > MAX_BODY_BYTES) {
    throw { message: `the body is larger than ${MAX_BODY_BYTES} bytes` } satisfies BrokerFailure;
  }
  const line = lines.get(task) ?? { open: 0, waiting: [] };
  lines.set(task, line);
  if (line.open >= MAX_OPEN) await new Promise<void>((resolve) => line.waiting.push(resolve));
  line.open += 1;
  try {
    return await exchange(task, request, ownSignal);
  } finally {
    line.open -= 1;
    line.waiting.shift()?.();
  }
}

function exchange(task: RunningTask, request: BrokerRequest, ownSignal?: TaskSignal): Promise<BrokerResponse> {
  const signals = ownSignal === undefined ? [task.signal] : [task.signal, ownSignal];
  const fetchId = ++last;
  const { promise, resolve, reject } = Promise.withResolvers<BrokerResponse>();
  // When the task ends by itself, its open requests are neither resolved nor rejected: a rejection would meet code that nobody
  // listens to any more, and look like an error of the handler.
  const drop = (): void => {
    pending.delete(fetchId);
    send({ type: 'abort-fetch', id: task.id, fetchId });
  };
  const abort = (): void => {
    drop();
    reject({ message: 'This operation was aborted', code: 'ABORT_ERR' } satisfies BrokerFailure);
  };
  const settle = (): void => {
    task.stops.delete(drop);
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  promise.then(settle, settle);
  if (signals.some(({ aborted }) => aborted) || findTask(task.id) !== task) {
    abort();
    return promise;
  }
  pending.set(fetchId, { resolve, reject });
  task.stops.add(drop);
  for (const signal of signals) signal.addEventListener('abort', abort);
  send({ type: 'fetch', id: task.id, fetchId, request: withTokensAsText(task, request) });
  return promise;
}

/**
 * Our process puts secrets into text and leaves bytes as they are. Forms, bytes of a `TextEncoder` and what libraries send
 * through `node:http` are bytes too, so where they hold a token and are text, they go as text.
 */
function withTokensAsText({ secrets }: RunningTask, request: BrokerRequest): BrokerRequest {
  const { body } = request;
  if (secrets === undefined || body === undefined || typeof body === 'string') return request;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const holdsToken = Object.values(secrets.seen).some((token) => token !== '' && bytes.includes(token));
  return holdsToken && isUtf8(bytes) ? { ...request, body: bytes.toString() } : request;
}

/** Takes what our process says about a request. */
export function takeResponse(message: Extract<ToHost, { type: 'response' | 'no-response' }>): void {
  const request = pending.get(message.fetchId);
  pending.delete(message.fetchId);
  if (message.type === 'response') request?.resolve(message.response);
  else request?.reject(message.failure);
}
