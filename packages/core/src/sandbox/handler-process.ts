/**
 * The program of a host process, which runs handlers and nothing else. The calling process starts it with the permissions listed
 * in handler-pool.ts, and talks to it over IPC. Arguments: the file of `ses`, and the heap limit in MiB.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { HandlerProgram } from './handler-program.ts';
import { blockSystemAccess } from './host/block-system-access.ts';
import { receiveResponse } from './host/broker-client.ts';
import { hasThreadWork } from './host/crypto.ts';
import { describeThrown, recordLines } from './host/host-failure.ts';
import { withLibraryHint } from './host/load-libraries.ts';
import { repairLanguage } from './host/lockdown.ts';
import { evaluateScript, openProgram } from './host/program.ts';
import { callHook, declaredJson, describeProgram } from './host/run-task.ts';
import {
  asTask,
  endTask,
  findTask,
  isAfterTask,
  type RunningTask,
  reportSecretUse,
  runningTasks,
  send,
  taskInProgress,
} from './host/tasks.ts';
import { HandlerAbortController } from './host/web/abort-signal.ts';
import type { HostTask, ToHost } from './host-message.ts';
import type { ResultText } from './result-text.ts';

/** How long a cancelled task, and the threads of a task that is over, may go on before the host asks to be replaced. */
const GRACE_MS = 200;
const GROWTH_INTERVAL_MS = 1000;
/** Memory for Node.js, SES and uncollected garbage, beyond the heap limit. */
const BASE_MB = 128;
const hasGrown = watchGrowth(Number(process.argv[3]));
/** Cancelled tasks whose code may still be running. */
const ending = new Set<number>();
const programs = new Map<string, HandlerProgram>();
const handlersOf = new Map<string, Promise<object>>();

// In this order, before any library or handler code is loaded.
blockSystemAccess();
repairLanguage(process.argv[2] ?? '');
recordLines();
process.on('message', (message: ToHost) => receive(message));
process.on('disconnect', () => process.exit());
process.on('uncaughtException', failUncaught);
process.on('unhandledRejection', failUncaught);
send({ type: 'ready' });

function receive(message: ToHost): void {
  switch (message.type) {
    case 'program':
      programs.set(message.key, message.program);
      break;
    case 'task':
      startTask(message);
      break;
    case 'cancel':
      cancelTask(message.id);
      break;
    case 'ping':
      send({ type: 'pong' });
      break;
    default:
      receiveResponse(message);
  }
}

function startTask({ id, key, task: work }: Extract<ToHost, { type: 'task' }>): void {
  let isOver = false;
  const end = (report: () => void): void => {
    if (isOver) return;
    isOver = true;
    endTask(task);
    report();
    if (hasGrown()) send({ type: 'retire' });
    // Threads cannot be stopped.
    if (hasThreadWork(task)) void delay(GRACE_MS).then(() => hasThreadWork(task) && send({ type: 'retire' }));
  };
  const fail = (thrown: unknown): void =>
    end(() => send({ type: 'failed', id, failure: withLibraryHint(describeThrown(thrown, 'HANDLER_THREW')) }));
  const controller = new HandlerAbortController();
  const { signal } = controller;
  const cancel = (): void => {
    ending.add(id);
    controller.abort();
    end(() => undefined);
    void Promise.race([ran.then(() => true), delay(GRACE_MS, false)]).then((finished) => {
      ending.delete(id);
      send({ type: 'cancelled', id, finished });
    });
  };
  const task: RunningTask = { id, key, signal, cancel, end, fail, cleanups: new Set() };
  const ran = asTask(task, () => perform(task, work)).then(
    (result) => end(() => send({ type: 'done', id, ...result })),
    fail,
  );
}

function cancelTask(id: number): void {
  const task = findTask(id);
  if (task === undefined) send({ type: 'cancelled', id, finished: true });
  else asTask(task, task.cancel);
}

async function perform({ id, key, signal }: RunningTask, work: HostTask): Promise<ResultText> {
  if (work.kind === 'evaluate') {
    send({ type: 'opening', id });
    return { json: declaredJson(evaluateScript(work.source, work.exportName), work.exportName) };
  }
  const handlers = await openHandlers(id, key);
  // It may have been cancelled before its own code started.
  if (findTask(id) === undefined) return { json: '' };
  send({ type: 'started', id });
  if (work.kind === 'describe') return { json: JSON.stringify(describeProgram(handlers)) };
  return callHook(handlers, work, { signal, onRead: reportSecretUse(id, work.context.secrets) });
}

/** Opens each program once; its tasks share a compartment. */
function openHandlers(id: number, key: string): Promise<object> {
  const opened = handlersOf.get(key);
  if (opened !== undefined) return opened;
  const program = programs.get(key);
  if (program === undefined) throw new Error(`No program ${key}`);
  send({ type: 'opening', id });
  programs.delete(key);
  const opening = openProgram(key, program);
  handlersOf.set(key, opening);
  return opening;
}

/**
 * Handles an uncaught error or rejection. It fails the task that it came from; if that is unknown, the only running task, if
 * there is just one. The host is replaced in any case, since something may be left half done.
 */
function failUncaught(thrown: unknown): void {
  const tasks = runningTasks();
  // Node.js 22 does not say where an exception comes from: it may be from a task that was cancelled.
  const isFromAnother = isAfterTask() || ending.size > 0;
  const task = taskInProgress() ?? (tasks.length === 1 && !isFromAnother ? tasks[0] : undefined);
  send({ type: 'retire' });
  task?.fail(thrown);
}

/** Tells whether this process has outgrown its heap limit: compartments are never freed. Looks once a second at most. */
function watchGrowth(memoryMb: number): () => boolean {
  const limit = (memoryMb + BASE_MB) * 1024 * 1024;
  let checkedAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - checkedAt < GROWTH_INTERVAL_MS) return false;
    checkedAt = now;
    return process.memoryUsage.rss() > limit;
  };
}
