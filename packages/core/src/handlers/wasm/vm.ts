import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { EvalFlags, type JSValueHandle, QuickJS, type QuickJSOptions } from 'quickjs-wasi';
import { localize } from './localize.ts';
import type { ToVm } from './vm-message.ts';
import type { WasmFiles } from './wasm-files.ts';

/** A QuickJS of its own in a WebAssembly memory of its own. Nothing of it is shared with another, and only text and bytes cross. */
export interface Vm {
  /** Has the code in it take a message, and goes on until nothing is left to do at once. What cannot be survived is thrown. */
  enter(message: ToVm, ...beside: (string | Uint8Array)[]): void;
  /** What its memory has grown to. It never gets smaller. */
  bytes(): number;
  dispose(): void;
}

/** Rejections that nobody handles yet; each holds a value of the VM. */
const MAX_STRAYS = 1000;
const MAX_DELAY_MS = 2 ** 31 - 1;
/** `EBADF` of WASI. */
const BAD_FILE = 8;
const STACK_BYTES = 512 * 1024;

/**
 * Makes a VM with the program of hosts in it.
 *
 * @param onPost - Takes what the code in it says: text that may be anything.
 * @param onTimer - Called when one of its timers is due.
 */
export async function openVm(
  { engine, extensions, guest }: WasmFiles,
  {
    memoryBytes,
    onPost,
    onTimer,
  }: {
    memoryBytes: number;
    onPost: (text: string, beside?: string | Uint8Array) => void;
    onTimer: (timerId: number) => void;
  },
): Promise<Vm> {
  const timers = new Map<number, NodeJS.Timeout>();
  const strays = new Map<number, JSValueHandle>();
  let memory: WebAssembly.Memory | undefined;
  /** Only the program of ours is a module: handlers find none. */
  let isLoading = true;

  const options: QuickJSOptions = {
    wasm: engine,
    extensions,
    memoryLimit: memoryBytes,
    maxStackSize: STACK_BYTES,
    wasi: (own) => {
      memory = own;
      // What the engine would write to the output of our process.
      return { fd_write: () => BAD_FILE };
    },
    moduleLoader: {
      normalize: (base, specifier) =>
        specifier.startsWith('node:')
          ? join(dirname(guest), 'node', `${specifier.slice(5)}.ts`)
          : join(dirname(base), specifier),
      load: (file) => {
        if (!isLoading) throw new Error('There are no modules here');
        return moduleText(file);
      },
    },
    onUnhandledRejection: (promise, reason, isHandled) => {
      const { identity } = promise;
      strays.get(identity)?.dispose();
      strays.delete(identity);
      if (isHandled) return;
      if (strays.size >= MAX_STRAYS) throw new Error('It left too many rejections behind');
      strays.set(identity, reason.dup());
    },
  };
  const vm = await QuickJS.create(options);

  const functions = {
    post: (text, beside) => {
      onPost(
        text?.toString() ?? '',
        beside?.isString ? beside.toString() : beside?.isObject ? beside.toUint8Array() : undefined,
      );
      return vm.undefined;
    },
    startTimer: (id, delay) => {
      const timerId = id?.toNumber() ?? 0;
      const fire = (): void => {
        timers.delete(timerId);
        onTimer(timerId);
      };
      const ms = delay?.toNumber() ?? 0;
      // Node.js does the same with a delay that is too long, and warns of it.
      timers.set(timerId, setTimeout(fire, ms > MAX_DELAY_MS ? 1 : ms));
      return vm.undefined;
    },
    stopTimer: (id) => {
      const timerId = id?.toNumber() ?? 0;
      clearTimeout(timers.get(timerId));
      timers.delete(timerId);
      return vm.undefined;
    },
    compile: (source, name) => vm.evalCode(source?.toString() ?? '', name?.toString()),
    localize: (text) => vm.newString(localize(text?.toString() ?? '')),
  } satisfies Record<string, (...args: (JSValueHandle | undefined)[]) => JSValueHandle>;
  const worker = vm.newObject();
  for (const [name, run] of Object.entries(functions)) {
    const made = vm.newFunction(name, run);
    worker.setProp(name, made);
    made.dispose();
  }
  vm.setProp(vm.global, '__worker', worker);
  worker.dispose();
  const evaluated = vm.evalCode(moduleText(guest), guest, EvalFlags.TYPE_MODULE);
  vm.executePendingJobs();
  isLoading = false;
  const loaded = await vm.resolvePromise(evaluated);
  evaluated.dispose();
  if ('error' in loaded) throw new Error(`The program of the VM failed: ${loaded.error.toString()}`);
  const take = loaded.value.getProp('take');
  const takeStray = loaded.value.getProp('takeStray');

  function settle(): void {
    vm.executePendingJobs();
    while (strays.size > 0) {
      const reasons = [...strays.values()];
      strays.clear();
      for (const reason of reasons) {
        vm.callFunction(takeStray, vm.undefined, reason).dispose();
        reason.dispose();
      }
      vm.executePendingJobs();
    }
  }

  return {
    enter(message, ...beside) {
      const args = [JSON.stringify(message), ...beside].map((arg) =>
        typeof arg === 'string' ? vm.newString(arg) : vm.newUint8Array(arg),
      );
      vm.callFunction(take, vm.undefined, ...args).dispose();
      for (const arg of args) arg.dispose();
      settle();
    },
    bytes: () => memory?.buffer.byteLength ?? 0,
    dispose() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      vm.dispose();
    },
  };
}

function moduleText(file: string): string {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}
