import { createHash } from 'node:crypto';
import type { AuthInfo, ClientCapabilities } from '@modelcontextprotocol/server';
import type { ServedTool } from '../catalog/tool-catalog.ts';
import { methodNotFound, protocolError } from '../protocol.ts';
import type { TaskOwner } from './task-provider.ts';

/** The Tasks extension of MCP (SEP-2663, ext-tasks/specification/2026-07-28/tasks.md). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

const hourMs = 60 * 60_000;
/** How long a task is kept if the client does not say, and at most. */
const defaultTtlMs = hourMs;
const maxTtlMs = 24 * hourMs;
const minTtlMs = 1000;

const missingCapability = -32021;

/** How a call was asked for. */
export interface TaskRequest {
  /** Whether the request is one of MCP 2026-07-28, where the server decides and not the client. */
  isModern: boolean;
  /** The parameter of MCP 2025-11-25. */
  task: { ttl?: unknown } | undefined;
  capabilities: ClientCapabilities | undefined;
  /** Whether the server runs tasks. */
  hasTasks: boolean;
}

/**
 * The time to live of the task that a call becomes, in milliseconds; undefined for a call that is answered when it has ended.
 * Throws an error of JSON-RPC for a call that is possible only in the other way.
 */
export function taskTtl({ listing }: ServedTool, request: TaskRequest): number | undefined {
  const { execution } = listing as { execution?: { taskSupport?: string } };
  const isRequired = execution?.taskSupport === 'required';
  const isPossible = isRequired || execution?.taskSupport === 'optional';
  const { isModern, task, capabilities, hasTasks } = request;
  const isTask = hasTasks && (isModern ? isPossible && declaresTasks(capabilities) : task !== undefined);
  if (!isTask) {
    if (!isRequired) return undefined;
    const message = `${listing.name} runs only as a task, and this client did not ask for one.`;
    throw isModern ? missingExtension(message) : protocolError(message, { code: methodNotFound });
  }
  if (!isPossible) {
    throw protocolError(`${listing.name} does not run as a task. Call it without one.`, { code: methodNotFound });
  }
  const asked = isModern ? undefined : task?.ttl;
  return typeof asked === 'number' ? Math.min(Math.max(asked, minTtlMs), maxTtlMs) : defaultTtlMs;
}

/** Whether a request of MCP 2026-07-28 declares the extension. */
export function declaresTasks(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities?.extensions?.[tasksExtension] !== undefined;
}

/** The error for a request that needs the extension. */
export function missingExtension(message: string): Error {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  return protocolError(message, { code: missingCapability, data: { requiredCapabilities } });
}

/** Whom the tasks of a request belong to: the subject of its token, else its session. As a hash: ids of sessions are secrets. */
export function taskOwner({
  http,
  sessionId,
}: {
  http?: { authInfo?: AuthInfo | undefined } | undefined;
  sessionId?: string | undefined;
}): TaskOwner {
  const { authInfo } = http ?? {};
  if (authInfo !== undefined) return subjectOwner(authInfo);
  return sessionId === undefined ? undefined : sessionKey(sessionId);
}

/** What a session is stored by. */
export function sessionKey(sessionId: string): string {
  return digest(['session', sessionId]);
}

/**
 * Whom the tasks of an authenticated caller belong to: its subject (`extra.sub`) at its client, the same with each token. Without a
 * subject, all that is known about the caller but the token; if nothing is, the token.
 *
 * @example
 * const owner = (token) => subjectOwner({ token, clientId: 'pilot', scopes: [], extra: { sub: 'amy' } });
 * console.log(owner('old') === owner('new')); // true
 */
export function subjectOwner({ clientId, extra = {}, token }: AuthInfo): string {
  if (extra.sub !== undefined || (clientId && Object.keys(extra).length === 0))
    return digest(['subject', clientId, extra.sub]);
  if (!clientId && Object.keys(extra).length === 0) return digest(['token', token]);
  return digest(['caller', clientId, sorted(extra)]);
}

/** With the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, sorted(part)] as const);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The error for a task that does not exist, has expired or belongs to somebody else. */
export function unknownTask(taskId: unknown): Error {
  return protocolError(`Task ${taskId} not found. It may have expired.`);
}

export function hasEnded({ status }: { status: string }): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
