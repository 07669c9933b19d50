import type { AuthInfo } from '@modelcontextprotocol/server';
import type { IncomingRequest } from './incoming-request.ts';
import { onceSent } from './once-sent.ts';

export interface SessionLimits {
  /** How many sessions there may be. One more ends the one that has been idle longest, unless all are busy. */
  maxSessions: number;
  /** How long a session may be idle before it ends, in milliseconds. */
  sessionIdleMs: number;
}

/** Sessions by id: bounded in number, and ended when idle. */
export interface SessionTable<Session> {
  readonly size: number;
  add(id: string, session: Session, owner: AuthInfo | undefined): void;
  /** The session, if it is that of the same caller: an id alone gives no access (MCP specification, Security). */
  find(id: string, caller: AuthInfo | undefined): Session | undefined;
  remove(id: string): void;
  /** Runs a request of a session. Until its answer has gone out, the session is busy; a stream that stays open is an answer. */
  during(id: string, request: IncomingRequest, run: () => Promise<Response>): Promise<Response>;
  /** Whether one more may begin. */
  makeRoom(): boolean;
  close(): Promise<void>;
}

interface Entry<Session> {
  session: Session;
  owner: string | undefined;
  busy: number;
  lastUsed: number;
}

export function createSessionTable<Session>({
  maxSessions,
  sessionIdleMs,
  end,
}: SessionLimits & { end: (session: Session) => void }): SessionTable<Session> {
  const entries = new Map<string, Entry<Session>>();
  let sweeper: NodeJS.Timeout | undefined;

  function remove(id: string): void {
    entries.delete(id);
    if (entries.size > 0) return;
    clearInterval(sweeper);
    sweeper = undefined;
  }

  function finish(id: string): void {
    const entry = entries.get(id);
    remove(id);
    if (entry !== undefined) end(entry.session);
  }

  function sweep(): void {
    const before = performance.now() - sessionIdleMs;
    for (const [id, { busy, lastUsed }] of [...entries]) if (busy === 0 && lastUsed < before) finish(id);
  }

  return {
    get size() {
      return entries.size;
    },
    add(id, session, owner) {
      entries.set(id, { session, owner: ownerOf(owner), busy: 0, lastUsed: performance.now() });
      sweeper ??= setInterval(sweep, Math.min(sessionIdleMs, 60_000) / 2).unref();
    },
    find(id, caller) {
      const entry = entries.get(id);
      return entry?.owner === ownerOf(caller) ? entry?.session : undefined;
    },
    remove,
    async during(id, request, run) {
      const entry = entries.get(id);
      if (entry !== undefined) entry.busy += 1;
      const release = () => {
        if (entry === undefined) return;
        entry.busy -= 1;
        entry.lastUsed = performance.now();
      };
      try {
        return onceSent(await run(), request, release);
      } catch (error) {
        release();
        throw error;
      }
    },
    makeRoom() {
      if (entries.size < maxSessions) return true;
      const [longest] = [...entries]
        .filter(([, { busy }]) => busy === 0)
        .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
      if (longest === undefined) return false;
      finish(longest[0]);
      return true;
    },
    async close() {
      for (const id of [...entries.keys()]) finish(id);
    },
  };
}

/** Who a caller is, without its token: that may be renewed within a session. */
function ownerOf(caller: AuthInfo | undefined): string | undefined {
  if (caller === undefined) return undefined;
  return JSON.stringify([caller.clientId, caller.extra?.sub]);
}
