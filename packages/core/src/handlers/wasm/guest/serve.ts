import type { ResultText } from '../../answer-apart.ts';
import { takeResponse } from '../../host/broker.ts';
import { describeProgram } from '../../host/find-hooks.ts';
import { send } from '../../host/link.ts';
import { declaredJson, runHook } from '../../host/run-task.ts';
import { openSecrets } from '../../host/secret-use.ts';
import { asTask, endTask, findTask, type RunningTask, runningTasks } from '../../host/tasks.ts';
import { describeThrown } from '../../host/thrown.ts';
import { HandlerAbortController } from '../../host/web/abort-signal.ts';
import type { HostTask } from '../../host-message.ts';
import { readTask } from '../task-text.ts';
import { withNameHint } from '../unsupported.ts';
import type { ToVm, VmProgram } from '../vm-message.ts';
import { fireTimer } from './natives.ts';
import { evaluateScript, openProgram } from './program.ts';

let program: VmProgram | undefined;
let opened: object | undefined;

/** Takes a message of the worker, and what stands beside it. */
export function take(text: string, ...beside: (string | Uint8Array)[]): void {
  const message = JSON.parse(text) as ToVm;
  switch (message.type) {
    case 'program':
      program = message.program;
      break;
    case 'task':
      startTask(message.id, () => readTask(String(beside[0]), beside[1] as string | undefined));
      break;
    case 'cancel':
      findTask(message.id)?.cancel();
      break;
    case 'timer':
      fireTimer(message.timerId);
      break;
    case 'response':
      takeResponse({ ...message, response: { ...message.response, body: beside[0] as Uint8Array } });
      break;
    case 'no-response':
      takeResponse(message);
  }
}

/** Takes what was rejected and nobody handles: it fails the task that runs. */
export function takeStray(thrown: unknown): void {
  for (const task of runningTasks()) task.fail(thrown);
}

/** @param read - May throw, where the argument is nested too deeply for this engine. */
function startTask(id: number, read: () => HostTask): void {
  let open = true;
  const end = (report: () => void): void => {
    if (!open) return;
    open = false;
    endTask(task);
    report();
  };
  const fail = (thrown: unknown): void => {
    const failure = withNameHint(describeThrown(thrown, 'HANDLER_THREW'));
    end(() => send({ type: 'failed', id, failure }));
  };
  const controller = new HandlerAbortController();
  const cancel = (): void => {
    controller.abort();
    end(() => undefined);
    void ran.then(() => send({ type: 'cancelled', id, settled: true }));
  };
  const task: RunningTask = { id, key: '', signal: controller.signal, cancel, end, fail, stops: new Set() };
  const ran = asTask(task, () => perform(task, read)).then(
    (result) => end(() => send({ type: 'done', id, ...result })),
    fail,
  );
}

async function perform({ id, signal }: RunningTask, read: () => HostTask): Promise<ResultText> {
  const work = read();
  if (work.kind === 'evaluate') {
    send({ type: 'opening', id });
    return { json: declaredJson(evaluateScript(work.source, work.exportName), work.exportName) };
  }
  opened ??= open(id);
  send({ type: 'started', id });
  if (work.kind === 'describe') return { json: JSON.stringify(describeProgram(opened)) };
  return runHook(opened, work, { signal, onRead: openSecrets(id, work.context.secrets) });
}

function open(id: number): object {
  if (program === undefined) throw new Error('No program');
  send({ type: 'opening', id });
  return openProgram(program);
}
