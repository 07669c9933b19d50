import { setTimeout as delay } from 'node:timers/promises';
import type { HandlerProgram } from '../handler-program.ts';
import { isBefore, openContext, watchStruct } from '../hook-context.ts';
import type { HostTask, ToHost } from '../host-message.ts';
import { requestParts } from '../request-parts.ts';
import { takeResponse } from './broker.ts';
import { watchGrowth } from './growth.ts';
import { withLibraryHint } from './libraries.ts';
import { send } from './link.ts';
import { toPlainJson } from './plain-json.ts';
import { describeProgram, evaluateScript, findHook, openProgram } from './program.ts';
import { openSecrets } from './secret-use.ts';
import { asTask, endTask, findTask, isLeftOver, type RunningTask, runningTasks, taskInProgress } from './tasks.ts';
import { isInThread } from './thread-work.ts';
import { describeThrown, HostFailure } from './thrown.ts';
import { HandlerAbortController } from './web/abort-signal.ts';
import { encodeBody } from './web/request.ts';

/** How long a task that was given up may take to come to an end, and what a task has left in threads. */
const GRACE_MS = 200;
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
      send({ type: 'pong', cpuMs: usedCpuMs() });
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
    if (isInThread(task)) void delay(GRACE_MS).then(() => isInThread(task) && send({ type: 'leftover', key }));
    if (hasGrown()) send({ type: 'unfit', reason: 'it has grown' });
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
  const ran = asTask(task, () => perform(task, work)).then((json) => end(() => send({ type: 'done', id, json })), fail);
}

function cancelTask(id: number): void {
  const task = findTask(id);
  if (task === undefined) send({ type: 'cancelled', id, settled: true });
  else asTask(task, task.cancel);
}

async function perform({ id, key, signal }: RunningTask, work: HostTask): Promise<string> {
  if (work.kind === 'evaluate') {
    send({ type: 'opening', id });
    const value = evaluateScript(work.source, work.exportName);
    if (hasCircle(value))
      throw new HostFailure({ code: 'HANDLER_RESULT_INVALID', message: `${work.exportName} contains itself` });
    return toPlainJson(value);
  }
  const handlers = await program(id, key);
  // It may have been cancelled before its own code began.
  if (findTask(id) === undefined) return '';
  send({ type: 'started', id });
  if (work.kind === 'describe') return JSON.stringify(describeProgram(handlers));
  const { owner, run } = findHook(handlers, work);
  const argument = openContext(work.context, openSecrets(id, work.context.secrets));
  Object.defineProperty(argument, 'signal', { value: signal, writable: true, configurable: true });
  const changes = watchStruct(argument);
  const value: unknown = await Reflect.apply(run, owner, [argument]);
  // A struct that is returned need not be told twice; it may hold the whole response. Its messages may be hidden.
  const isReturned = typeof value === 'object' && value !== null && Reflect.get(value, 'struct') === argument.struct;
  const changed = changes();
  const { messages } = changed;
  const outcome = { value, changes: isReturned ? { ...(messages !== undefined && { messages }) } : changed };
  return toPlainJson(isBefore(work.hook) ? await requestParts(outcome, encodeBody) : outcome);
}

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000);
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
  send({ type: 'unfit', reason: `nothing took an error: ${describeThrown(thrown, 'HANDLER_THREW').message}` });
  task?.fail(thrown);
}

/** Data that contains itself has a form in answers, but what a file declares has to be what it says. */
function hasCircle(value: unknown, above: readonly object[] = []): boolean {
  if (typeof value !== 'object' || value === null || above.length > 500) return false;
  if (above.includes(value)) return true;
  const path = [...above, value];
  return Object.values(Object.getOwnPropertyDescriptors(value)).some((property) => hasCircle(property.value, path));
}
