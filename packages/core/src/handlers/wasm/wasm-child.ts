import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { SpawnHost } from '../host-child.ts';
import type { ToHost } from '../host-message.ts';
import { readHostMessage } from '../read-host-message.ts';
import type { WasmHostData } from './serve-vms.ts';
import { writeTask } from './task-text.ts';
import { wasmFiles } from './wasm-files.ts';
import type { FromWasmHost, ToWasmHost } from './wasm-message.ts';

const fromSource = import.meta.url.endsWith('.ts');
const workerFile = fileURLToPath(new URL(fromSource ? './wasm-host.ts' : './wasm-host.js', import.meta.url));
/** For the code of ours in the worker; the memory of VMs is none of it. */
const WORKER_HEAP_MB = 256;
/** So much that the engine finds its own stack at an end first: then handlers get an error that they can catch. */
const WORKER_STACK_MB = 32;

/**
 * Starts a worker thread that runs handlers in VMs. It does what a host process does, where none can be started. To end it
 * stops whatever runs in it at once, since V8 looks at every turn of a loop in WebAssembly whether it is to stop.
 */
export const spawnWasmHost: SpawnHost = ({ memoryMb, onMessage, onEnd }) => {
  let worker: Worker | undefined;
  let isBusy = true;
  let endCause: string | undefined;
  let isOver = false;

  const end = (cause: string): void => {
    if (isOver) return;
    isOver = true;
    onEnd(endCause ?? cause);
  };
  const kill = (): void => {
    endCause ??= 'it was ended';
    // It may not have begun.
    if (worker === undefined) queueMicrotask(() => end('it was ended'));
    else void worker.terminate();
  };
  const take = (message: FromWasmHost): void => {
    if (isOver) return;
    if (message.type === 'fell') {
      endCause = message.cause.slice(0, 200);
      kill();
      return;
    }
    const read = readHostMessage(message);
    if (read !== undefined) onMessage(read);
  };

  wasmFiles().then(
    (files) => {
      if (isOver) return;
      // A VM, and what calls at the same time may take together: as much as a host process with its buffers.
      const data: WasmHostData = { files, vmBytes: (memoryMb / 2) * 2 ** 20, allBytes: 2 * memoryMb * 2 ** 20 };
      worker = startWorker(data);
      if (!isBusy) worker.unref();
      worker.on('message', take);
      worker.on('messageerror', (error) => end(error.message));
      worker.on('error', (error) => end(`it failed: ${error.message}`));
      worker.on('exit', (code) => end(`it exited with code ${code}`));
    },
    (error: Error) => end(`WebAssembly is not to be had: ${error.message}`),
  );

  return {
    send: (message) => worker?.postMessage(asText(message)),
    setBusy(busy) {
      isBusy = busy;
      if (busy) worker?.ref();
      else worker?.unref();
    },
    kill,
  };
};

function startWorker(workerData: WasmHostData): Worker {
  return new Worker(workerFile, {
    workerData,
    env: {},
    execArgv: fromSource ? ['--disable-warning=ExperimentalWarning'] : [],
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB, stackSizeMb: WORKER_STACK_MB },
    // Not ours, and not read either: who reads them is kept alive by an idle worker.
    stdout: true,
    stderr: true,
  });
}

function asText(message: ToHost): ToWasmHost {
  if (message.type !== 'task') return message;
  const { id, key, task } = message;
  if (task.kind !== 'call') return { type: 'task', id, key, text: writeTask(task), answerText: undefined };
  const { answerText, ...context } = task.context;
  return { type: 'task', id, key, text: writeTask({ ...task, context }), answerText };
}
