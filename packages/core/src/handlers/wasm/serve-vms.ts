import type { MessagePort } from 'node:worker_threads';
import type { ResultText } from '../answer-apart.ts';
import type { FromHost } from '../host-message.ts';
import { openVm, type Vm } from './vm.ts';
import type { DoneInVm, ToVm, VmProgram } from './vm-message.ts';
import type { WasmFiles } from './wasm-files.ts';
import type { FromWasmHost, ToWasmHost } from './wasm-message.ts';

/** What a worker is started with. */
export interface WasmHostData {
  files: WasmFiles;
  /** Largest memory of a VM, in bytes. */
  vmBytes: number;
  /** Largest memory of all its VMs together. */
  allBytes: number;
}

/** VMs at a time; further tasks wait. */
const MAX_VMS = 32;
/** A VM that has grown beyond this takes no other task: its memory is never given back. */
const MAX_KEPT_BYTES = 32 * 2 ** 20;
/** How long a task that was given up may take to come to an end. */
const GRACE_MS = 200;

type TaskMessage = Extract<ToWasmHost, { type: 'task' }>;

/** A VM, and the task in it. */
interface Place {
  vm: Vm;
  /** Of the program in it; undefined before the first task. */
  key: string | undefined;
  taskId: number | undefined;
  /** The task has said that it is over. */
  isOver: boolean;
  /** Takes no other task. */
  isSpent: boolean;
  /** The open requests of its task: our numbers for them, and those that the VM gave them. */
  fetches: Map<number, number>;
}

/**
 * Runs tasks in VMs, one at a time in each: whatever a VM asks for belongs to its task. A VM whose task is over takes the next
 * one of the same program, and has what the variables of the module hold. No two programs are in one VM.
 *
 * What a VM says is read as what may be anything.
 */
export async function serveVms(port: MessagePort, { files, vmBytes, allBytes }: WasmHostData): Promise<void> {
  const programs = new Map<string, VmProgram>();
  const places = new Set<Place>();
  const waiting: TaskMessage[] = [];
  /** Tasks for which a VM is being made. */
  const opening = new Set<number>();
  let lastFetchId = 0;

  const say = (message: FromWasmHost): void => port.postMessage(message);
  port.on('message', take);
  // The first task finds a VM.
  await addPlace();
  say({ type: 'ready' });

  function take(message: ToWasmHost): void {
    switch (message.type) {
      case 'program': {
        const { source, sharedLists } = message.program;
        programs.set(message.key, { source, sharedLists });
        break;
      }
      case 'task':
        waiting.push(message);
        assign();
        break;
      case 'cancel':
        cancel(message.id);
        break;
      case 'ping':
        // Nothing is left of a task that is over, so an idle worker has no work.
        say({ type: 'pong', cpuMs: 0 });
        break;
      default:
        takeResponse(message);
    }
  }

  /** Gives waiting tasks to VMs, in the order in which they came. */
  function assign(): void {
    for (let task = waiting[0]; task !== undefined; task = waiting[0]) {
      const { id, key } = task;
      const free = [...places].find((place) => place.taskId === undefined && (place.key ?? key) === key);
      if (free === undefined && places.size + opening.size >= MAX_VMS && !dropIdle()) return;
      waiting.shift();
      if (free !== undefined) begin(free, task);
      else void beginInNew(task, id);
    }
  }

  /** Makes room: a worker with many VMs of one program may get a task of another. */
  function dropIdle(): boolean {
    const idle = [...places].find(({ taskId }) => taskId === undefined);
    if (idle !== undefined) drop(idle);
    return idle !== undefined;
  }

  async function beginInNew(task: TaskMessage, id: number): Promise<void> {
    opening.add(id);
    const place = await addPlace();
    // It may have been cancelled.
    if (opening.delete(id)) begin(place, task);
    else assign();
  }

  async function addPlace(): Promise<Place> {
    let place: Place | undefined;
    const vm = await openVm(files, {
      memoryBytes: vmBytes,
      onPost: (...post) => place && takePost(place, ...post),
      onTimer: (timerId) => place && enter(place, { type: 'timer', timerId }),
    });
    place = { vm, key: undefined, taskId: undefined, isOver: false, isSpent: false, fetches: new Map() };
    places.add(place);
    return place;
  }

  function begin(place: Place, { id, key, text, answerText }: TaskMessage): void {
    place.taskId = id;
    const program = programs.get(key);
    if (place.key === undefined && program !== undefined) enter(place, { type: 'program', program });
    place.key = key;
    // What is only evaluated is no program that could come again.
    place.isSpent ||= program === undefined;
    enter(place, { type: 'task', id }, text, ...(answerText === undefined ? [] : [answerText]));
  }

  function enter(place: Place, message: ToVm, ...beside: (string | Uint8Array)[]): void {
    if (!places.has(place)) return;
    try {
      place.vm.enter(message, ...beside);
    } catch (thrown) {
      fall(thrown);
    }
    const bytes = [...places].reduce((sum, { vm }) => sum + vm.bytes(), 0);
    if (bytes > allBytes) fall(new Error(`its calls needed more than ${allBytes / 2 ** 20} MiB of memory together`));
    if (place.isOver) release(place);
  }

  /** The task of a VM is over, and nothing in it is left to do. */
  function release(place: Place): void {
    place.taskId = undefined;
    place.isOver = false;
    place.fetches.clear();
    if (place.isSpent || place.vm.bytes() > MAX_KEPT_BYTES) drop(place);
    assign();
  }

  function drop(place: Place): void {
    places.delete(place);
    place.vm.dispose();
  }

  function cancel(id: number): void {
    const place = [...places].find(({ taskId }) => taskId === id);
    const index = waiting.findIndex((task) => task.id === id);
    if (index >= 0) waiting.splice(index, 1);
    opening.delete(id);
    if (place === undefined) {
      say({ type: 'cancelled', id, settled: true });
      return;
    }
    place.isSpent = true;
    setTimeout(() => {
      if (place.taskId !== id) return;
      drop(place);
      say({ type: 'cancelled', id, settled: true });
      assign();
    }, GRACE_MS);
    enter(place, { type: 'cancel', id });
  }

  function takePost(place: Place, text: string, beside?: string | Uint8Array): void {
    const { taskId: id, fetches } = place;
    if (id === undefined || place.isOver) return;
    const message = { ...JSON.parse(text), id } as
      | Exclude<Extract<FromHost, { id: number }>, { type: 'done' }>
      | DoneInVm
      | { type: 'abort-fetch'; fetchId: number };
    switch (message.type) {
      case 'fetch': {
        const fetchId = ++lastFetchId;
        fetches.set(fetchId, message.fetchId);
        say({
          ...message,
          fetchId,
          request: beside === undefined ? message.request : { ...message.request, body: beside },
        });
        break;
      }
      case 'abort-fetch':
        for (const [fetchId, vmFetchId] of fetches) {
          if (vmFetchId === message.fetchId) say({ type: 'abort-fetch', fetchId });
        }
        break;
      case 'done':
        place.isOver = true;
        say({ type: 'done', id, ...resultOf(message, String(beside)) });
        break;
      case 'failed':
        place.isOver = true;
        if (OUT_OF_MEMORY.test(message.failure.message)) fall(new Error(message.failure.message));
        else say(message);
        break;
      case 'cancelled':
        place.isOver = true;
        say(message);
        break;
      default:
        say(message);
    }
  }

  function takeResponse(message: Extract<ToWasmHost, { fetchId: number }>): void {
    const place = [...places].find(({ fetches }) => fetches.has(message.fetchId));
    const fetchId = place?.fetches.get(message.fetchId);
    if (place === undefined || fetchId === undefined) return;
    place.fetches.delete(message.fetchId);
    if (message.type === 'no-response') {
      enter(place, { ...message, fetchId });
    } else {
      const { body, ...response } = message.response;
      enter(place, { type: 'response', fetchId, response }, body);
    }
  }

  function fall(thrown: unknown): void {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const cause = OUT_OF_MEMORY.test(message) ? `it needed more than ${vmBytes / 2 ** 20} MiB of memory` : message;
    say({ type: 'fell', cause });
  }
}

function resultOf({ json, place }: DoneInVm, beside: string): ResultText {
  return json === undefined || place === undefined ? { json: beside } : { json, answer: { place, json: beside } };
}

/** What the engine says; a handler that says the same ends its own worker. */
const OUT_OF_MEMORY = /^InternalError: out of memory$|^out of memory$/;
