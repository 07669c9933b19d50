import type { BrokerFailure, BrokerResponse } from '../../host-message.ts';
import { askBroker } from '../broker.ts';
import type { RunningTask } from '../tasks.ts';
import { HandlerBlob, HandlerFile, HandlerFormData } from './blob.ts';
import { HandlerHeaders } from './headers.ts';
import { encodeRequest, HandlerRequest } from './request.ts';
import { HandlerResponse, openResponse } from './response.ts';

/** A `fetch` whose requests are made by our process, for the task that `findTask` names. */
export function brokeredFetch(
  findTask: () => RunningTask | undefined,
): (input: unknown, init?: unknown) => Promise<HandlerResponse> {
  return async (input, init) => {
    // Made here, where the stack still leads to the line of the schema that fetches.
    const failed = new TypeError('fetch failed');
    const task = findTask();
    if (task === undefined) throw new TypeError('fetch failed: the call that makes this request has ended');
    const request = new HandlerRequest(input, init);
    request.signal?.throwIfAborted();
    try {
      const answer = await askBroker(task, encodeRequest(request), request.signal);
      if (request.redirect === 'error' && isRedirect(answer)) throw { message: 'unexpected redirect' };
      return harden(openResponse(answer, request.url));
    } catch (thrown) {
      task.signal.throwIfAborted();
      request.signal?.throwIfAborted();
      const { message, code } = thrown as BrokerFailure;
      throw Object.assign(failed, {
        message: `fetch failed: ${message}`,
        cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
      });
    }
  };
}

function isRedirect({ status, headers }: BrokerResponse): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
}

/**
 * What belongs to `fetch`, written for hosts. The classes of Node.js bring streams, whose inner objects cannot all be frozen;
 * `Blob` breaks when it is frozen; and to load them takes as much processor time as a host needs to start.
 */
export const webApi: Record<string, unknown> = {
  Headers: HandlerHeaders,
  Request: HandlerRequest,
  Response: HandlerResponse,
  FormData: HandlerFormData,
  Blob: HandlerBlob,
  File: HandlerFile,
};
