import type { FromHost } from '../../host-message.ts';

/** The functions that the worker gives to the code in its VM. They take numbers, texts and bytes, and nothing else. */
export interface WorkerFunctions {
  /** Takes a message of a host as JSON; beside it the text of an answer, or the bytes of the body of a request. */
  post(text: string, beside?: string | Uint8Array): void;
  /** Has `fireTimer` called with this number after so many milliseconds. */
  startTimer(id: number, delay: number): void;
  stopTimer(id: number): void;
  /** Compiles a script, and gives the value of its last expression. */
  compile(source: string, name: string): unknown;
  /** Writes or compares values as a locale has it; takes and gives JSON. */
  localize(text: string): string;
}

interface Timer {
  id: number;
  unref(): Timer;
}

const worker = Reflect.get(globalThis, '__worker') as WorkerFunctions;
Reflect.deleteProperty(globalThis, '__worker');

export const compile: WorkerFunctions['compile'] = worker.compile;
export const localize: WorkerFunctions['localize'] = worker.localize;

const callbacks = new Map<number, () => void>();
let last = 0;

/** Runs a timer that is due. */
export function fireTimer(id: number): void {
  callbacks.get(id)?.();
}

function start(callback: () => void, delay: number, repeats: boolean): Timer {
  const id = ++last;
  callbacks.set(id, () => {
    if (repeats) worker.startTimer(id, delay);
    else callbacks.delete(id);
    callback();
  });
  worker.startTimer(id, delay);
  const timer: Timer = { id, unref: () => timer };
  return timer;
}

function stop(timer?: Timer): void {
  if (timer !== undefined && callbacks.delete(timer.id)) worker.stopTimer(timer.id);
}

/** The timers of Node.js, as far as the code of hosts uses them. */
export const nodeTimers = {
  setTimeout: (callback: () => void, delay: number): Timer => start(callback, delay, false),
  setInterval: (callback: () => void, delay: number): Timer => start(callback, Math.max(1, delay), true),
  setImmediate: (callback: () => void): Timer => start(callback, 0, false),
  clearTimeout: (timer?: Timer): void => stop(timer),
  clearInterval: (timer?: Timer): void => stop(timer),
  clearImmediate: (timer?: Timer): void => stop(timer),
};

function send(message: FromHost): void {
  if (message.type === 'done') {
    const { type, json, answer } = message;
    // The larger one of its texts goes beside.
    if (answer === undefined) worker.post(JSON.stringify({ type }), json);
    else worker.post(JSON.stringify({ type, json, place: answer.place }), answer.json);
  } else if (message.type === 'fetch' && typeof message.request.body === 'object') {
    const { body, ...request } = message.request;
    worker.post(JSON.stringify({ ...message, request }), body);
  } else {
    worker.post(JSON.stringify(message));
  }
}

// What the modules of hosts take from the global object when they are loaded. Handlers never see it.
Object.assign(globalThis, nodeTimers, { process: { send } });
