import type { BrokerResponse } from '../host-message.ts';
import { askBroker } from './broker.ts';
import { brokeredFetch } from './fetch.ts';
import { taskInProgress } from './tasks.ts';

/** What ethers hands to the function that makes its requests. */
interface EthersRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
}

interface EthersSignal {
  addListener(listener: () => void): void;
}

interface EthersResponse {
  statusCode: number;
  statusMessage: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Gives libraries a `fetch` whose requests our process makes, for the task whose code calls the library. */
export function installFetch(): void {
  Object.defineProperty(globalThis, 'fetch', { value: brokeredFetch(taskInProgress), writable: true, configurable: true });
}

/** Routes a library through the broker that does not use `fetch` and lets its transport be set: ethers. */
export function routeLibrary(namespace: object): void {
  for (const owner of [namespace, Reflect.get(namespace, 'ethers'), Reflect.get(namespace, 'default')]) {
    const register: unknown = property(property(owner, 'FetchRequest'), 'registerGetUrl');
    if (typeof register !== 'function') continue;
    Reflect.apply(register, property(owner, 'FetchRequest'), [getUrl]);
    return;
  }
}

async function getUrl(request: EthersRequest, signal?: EthersSignal): Promise<EthersResponse> {
  const task = taskInProgress();
  if (task === undefined) throw new Error('the call that makes this request has ended');
  const controller = new AbortController();
  signal?.addListener(() => controller.abort());
  const { url, method, headers, body } = request;
  const answer: BrokerResponse = await askBroker(
    task,
    { url, method, headers: { ...headers }, ...(body !== null && { body }) },
    controller.signal,
  );
  return { statusCode: answer.status, statusMessage: answer.statusText, headers: answer.headers, body: answer.body };
}

function property(owner: unknown, name: string): unknown {
  const isOwner = (typeof owner === 'object' && owner !== null) || typeof owner === 'function';
  return isOwner ? Reflect.get(owner, name) : undefined;
}
