import type { HandlerProgram } from '../handler-program.ts';
import { openContext, watchStruct } from '../hook-context.ts';
import type { HostTask, ToHost } from '../host-message.ts';
import { takeResponse } from './broker.ts';
import { send } from './link.ts';
import { toPlainJson } from './plain-json.ts';
import { describeProgram, evaluateScript, findHook, openProgram } from './program.ts';
import { asTask, endTask, findTask, type RunningTask, runningTasks, taskInProgress } from './tasks.ts';
import { describeThrown, HostFailure } from './thrown.ts';

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
      findTask(message.id)?.end(() => undefined);
      send({ type: 'cancelled', id: message.id });
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
  };
  const fail = (thrown: unknown): void =>
    end(() => send({ type: 'failed', id, failure: describeThrown(thrown, 'HANDLER_THREW') }));
  const task: RunningTask = { id, key, end, fail, stops: new Set() };
  asTask(task, () => perform(id, key, work)).then((json) => end(() => send({ type: 'done', id, json })), fail);
}

async function perform(id: number, key: string, work: HostTask): Promise<string> {
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
  const reads = new Set<string>();
  const argument = openContext(work.context, (key) => reads.add(key));
  const changes = watchStruct(argument);
  const value: unknown = await Reflect.apply(run, owner, [argument]);
  // A struct that is returned need not be told twice; it may hold the whole response.
  const isReturned = typeof value === 'object' && value !== null && Reflect.get(value, 'struct') === argument.struct;
  return toPlainJson({ value, changes: isReturned ? {} : changes(), reads: [...reads] });
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
  const task = taskInProgress() ?? (tasks.length === 1 ? tasks[0] : undefined);
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
