import type { AuthInfo } from '@modelcontextprotocol/server';
import type { RequestContext } from './request-context.ts';

export interface SessionLimits {
  /** Maximum number of sessions. A new one evicts the longest idle one, unless all are busy. */
  maxSessions: number;
  /** When an idle session ends, in milliseconds. */
  sessionIdleMs: number;
}

/** Sessions by id, with a limit and an idle timeout. */
export interface SessionTable<Session> {
  readonly size: number;
  add(id: string, session: Session, owner: AuthInfo | undefined): void;
  /** The session, if it belongs to the caller (MCP specification, Security). It is busy until the response was sent. */
  use(id: string, context: Pick<RequestContext, 'authInfo' | 'sent'>): Session | undefined;
  has(id: string): boolean;
  remove(id: string): void;
  /** Evicts a session if the table is full. False if all are busy. */
  makeRoom(): boolean;
  clear(): void;
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

  function evict(id: string): void {
    const entry = entries.get(id);
    remove(id);
    if (entry !== undefined) end(entry.session);
  }

  function sweep(): void {
    const before = performance.now() - sessionIdleMs;
    for (const [id, { busy, lastUsed }] of [...entries]) if (busy === 0 && lastUsed < before) evict(id);
  }

  return {
    get size() {
      return entries.size;
    },
    add(id, session, owner) {
      entries.set(id, { session, owner: ownerOf(owner), busy: 0, lastUsed: performance.now() });
      sweeper ??= setInterval(sweep, Math.min(sessionIdleMs, 60_000) / 2).unref();
    },
    use(id, { authInfo, sent }) {
      const entry = entries.get(id);
      if (entry === undefined || entry.owner !== ownerOf(authInfo)) return undefined;
      entry.busy += 1;
      void sent.then(() => {
        entry.busy -= 1;
        entry.lastUsed = performance.now();
      });
      return entry.session;
    },
    has: (id) => entries.has(id),
    remove,
    makeRoom() {
      if (entries.size < maxSessions) return true;
      const [longestIdle] = [...entries]
        .filter(([, { busy }]) => busy === 0)
        .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
      if (longestIdle === undefined) return false;
      evict(longestIdle[0]);
      return true;
    },
    clear() {
      for (const id of [...entries.keys()]) evict(id);
    },
  };
}

/** Identifies a caller without the token, which may be renewed within a session. */
export function ownerOf(caller: AuthInfo | undefined): string | undefined {
  if (caller === undefined) return undefined;
  return JSON.stringify([caller.clientId, caller.extra?.sub]);
}
