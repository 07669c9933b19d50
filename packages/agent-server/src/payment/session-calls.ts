import type { IncomingMessage } from 'node:http';
import type { Message, PaidRunning } from './paid-calls.ts';

/** Paid calls of sessions, whose answers may come in another response than their own: on the event stream of the session. */
export interface SessionCalls {
  /** False if another call of a session has the same id and no answer yet: their answers could not be told apart. */
  add(sessions: readonly string[], requests: readonly PaidRunning[]): boolean;
  find(sessions: readonly string[], id: unknown): PaidRunning | undefined;
}

const maxCalls = 10_000;

export function createSessionCalls(): SessionCalls {
  const calls = new Map<string, PaidRunning>();
  const keysOf = (sessions: readonly string[], id: unknown) => sessions.map((session) => `${session} ${id}`);
  return {
    add(sessions, requests) {
      const entries = requests.flatMap((request) =>
        keysOf(sessions, request.message.id).map((key) => [key, request] as const),
      );
      const isTaken = entries.some(([key, { message }]) => {
        const other = calls.get(key);
        return other !== undefined && other.isAnswered !== true && !isSameCall(other.message, message);
      });
      if (isTaken) return false;
      for (const [key, request] of entries) calls.set(key, request);
      for (const key of calls.keys()) {
        if (calls.size <= maxCalls) break;
        calls.delete(key);
      }
      return true;
    },
    find(sessions, id) {
      for (const key of keysOf(sessions, id)) {
        const found = calls.get(key);
        // It was paid for: the same message again is none of the gate's business.
        if (found?.isAnswered === true) calls.delete(key);
        else if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function isSameCall({ method, params: one }: Message, { method: otherMethod, params: other }: Message): boolean {
  const text = (params: Message['params']) => JSON.stringify([params?.name, params?.arguments, params?.taskId]);
  return method === otherMethod && text(one) === text(other);
}

/** The sessions that a request names: in its header, and in the query as in the transport of 2024-11-05. */
export function sessionsOf({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string[] {
  const { 'mcp-session-id': header } = headers;
  return [...(header === undefined ? [] : [String(header)]), ...sessionsIn(url)];
}

/** The sessions in the query of an address. */
export function sessionsIn(address: string): string[] {
  const query = new URLSearchParams(address.split('?', 2)[1] ?? '');
  return [...query].flatMap(([name, value]) => (/^session_?id$/i.test(name) ? [value] : []));
}
