import { setTimeout as delay } from 'node:timers/promises';
import type { ResultText } from '../answer-apart.ts';
import type { HandlerProgram } from '../handler-program.ts';
import type { HostTask, ToHost } from '../host-message.ts';
import { takeResponse } from './broker.ts';
import { withLibraryHint } from './libraries.ts';
import { evaluateScript, openProgram } from './program.ts';
import { declaredJson, describeProgram, runHook } from './run-task.ts';
import {
  asTask,
  endTask,
  findTask,
  isLeftOver,
  openSecrets,
  type RunningTask,
  runningTasks,
  send,
  taskInProgress,
} from './tasks.ts';
import { describeThrown } from './thrown.ts';
import { HandlerAbortController } from './web/abort-signal.ts';
import { isInThread } from './web/web-crypto.ts';

/** How long a task that was given up may take to come to an end, and what a task has left in threads. */
const GRACE_MS = 200;
const GROWTH_INTERVAL_MS = 1000;
/** Node.js itself, SES and what the collector has not given back yet. */
const BASE_MB = 128;
const hasGrown = watchGrowth(Number(process.argv[3]));
/** Tasks that were given up and may still come to an end. */
const ending = new Set<number>();
const programs = new Map<string, HandlerProgram>();
const opened = new Map<string, Promise<object>>();

/** Takes messages from our process until the channel closes. */
export function serveTasks(): void {
  process.on('message', (message: ToHost) => take(message));
  process.on('disconnect', () => process.exit());
  process.on('uncaughtException', takeStray);
  process.on('unhandledRejection', takeStray);
  send({ type: 'ready' });
}

function take(message: ToHost): void {
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
      takeResponse(message);
  }
}

function startTask({ id, key, task: work }: Extract<ToHost, { type: 'task' }>): void {
  let open = true;
  const end = (report: () => void): void => {
    if (!open) return;
    open = false;
    endTask(task);
    report();
    if (hasGrown()) send({ type: 'unfit' });
    // A thread cannot be stopped.
    if (isInThread(task)) void delay(GRACE_MS).then(() => isInThread(task) && send({ type: 'unfit' }));
  };
  const fail = (thrown: unknown): void =>
    end(() => send({ type: 'failed', id, failure: withLibraryHint(describeThrown(thrown, 'HANDLER_THREW')) }));
  const controller = new HandlerAbortController();
  const { signal } = controller;
  const cancel = (): void => {
    ending.add(id);
    controller.abort();
    end(() => undefined);
    void Promise.race([ran.then(() => true), delay(GRACE_MS, false)]).then((settled) => {
      ending.delete(id);
      send({ type: 'cancelled', id, settled });
    });
  };
  const task: RunningTask = { id, key, signal, cancel, end, fail, stops: new Set() };
  const ran = asTask(task, () => perform(task, work)).then(
    (result) => end(() => send({ type: 'done', id, ...result })),
    fail,
  );
}

function cancelTask(id: number): void {
  const task = findTask(id);
  if (task === undefined) send({ type: 'cancelled', id, settled: true });
  else asTask(task, task.cancel);
}

async function perform({ id, key, signal }: RunningTask, work: HostTask): Promise<ResultText> {
  if (work.kind === 'evaluate') {
    send({ type: 'opening', id });
    return { json: declaredJson(evaluateScript(work.source, work.exportName), work.exportName) };
  }
  const handlers = await program(id, key);
  // It may have been cancelled before its own code began.
  if (findTask(id) === undefined) return { json: '' };
  send({ type: 'started', id });
  if (work.kind === 'describe') return { json: JSON.stringify(describeProgram(handlers)) };
  return runHook(handlers, work, { signal, onRead: openSecrets(id, work.context.secrets) });
}

/** Opens each program once; all its tasks share the compartment. */
function program(id: number, key: string): Promise<object> {
  const known = opened.get(key);
  if (known !== undefined) return known;
  const source = programs.get(key);
  if (source === undefined) throw new Error(`No program ${key}`);
  send({ type: 'opening', id });
  programs.delete(key);
  const opening = openProgram(key, source);
  opened.set(key, opening);
  return opening;
}

/**
 * Something was thrown or rejected and nothing took it. It fails the task that it came from. Where that cannot be told, the
 * only task there is; otherwise none. The host is replaced in any case: who knows what was left half done.
 */
function takeStray(thrown: unknown): void {
  const tasks = runningTasks();
  // Node.js 22 does not tell where an exception comes from: it may be what a task does that was given up.
  const isOfAnother = isLeftOver() || ending.size > 0;
  const task = taskInProgress() ?? (tasks.length === 1 && !isOfAnother ? tasks[0] : undefined);
  send({ type: 'unfit' });
  task?.fail(thrown);
}

/**
 * Tells whether this process holds more memory than a heap of its size and Node.js need, so that a new one should take its
 * place between two calls: compartments and what schemas keep in them are never given back. Looks once a second at most.
 */
function watchGrowth(memoryMb: number): () => boolean {
  const limit = (memoryMb + BASE_MB) * 1024 * 1024;
  let lookedAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - lookedAt < GROWTH_INTERVAL_MS) return false;
    lookedAt = now;
    return process.memoryUsage.rss() > limit;
  };
}
