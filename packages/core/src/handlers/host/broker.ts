import type { BrokerFailure, BrokerRequest, BrokerResponse, ToHost } from '../host-message.ts';
import { send } from './link.ts';
import type { RequestSignal } from './request.ts';
import type { RunningTask } from './tasks.ts';

interface Pending {
  resolve: (response: BrokerResponse) => void;
  reject: (failure: BrokerFailure) => void;
}

const pending = new Map<number, Pending>();
let last = 0;

/** Has our process make a request for a task. Rejects with a `BrokerFailure`. */
export function askBroker(task: RunningTask, request: BrokerRequest, signal?: RequestSignal): Promise<BrokerResponse> {
  const fetchId = ++last;
  return new Promise<BrokerResponse>((resolve, reject) => {
    const stop = (): void => {
      send({ type: 'abort-fetch', fetchId });
      settle();
      reject({ message: 'This operation was aborted', code: 'ABORT_ERR' } satisfies BrokerFailure);
    };
    const settle = (): void => {
      pending.delete(fetchId);
      task.stops.delete(stop);
      signal?.removeEventListener('abort', stop);
    };
    pending.set(fetchId, {
      resolve: (response) => {
        settle();
        resolve(response);
      },
      reject: (failure) => {
        settle();
        reject(failure);
      },
    });
    task.stops.add(stop);
    signal?.addEventListener('abort', stop);
    send({ type: 'fetch', id: task.id, fetchId, request });
    if (signal?.aborted === true) stop();
  });
}

/** Takes what our process says about a request. */
export function takeResponse(message: Extract<ToHost, { type: 'response' | 'no-response' }>): void {
  const request = pending.get(message.fetchId);
  if (message.type === 'response') request?.resolve(message.response);
  else request?.reject(message.failure);
}
