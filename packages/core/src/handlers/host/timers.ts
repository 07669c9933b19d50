import { taskOfProgram } from './tasks.ts';

type Schedule = (callback: () => void, delay: number) => { unref(): unknown };

const MAX_TIMERS = 10_000;
const native = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask };

/**
 * The timer functions of one program. Handlers get numbers, not the objects of Node.js, whose list of timers leads to those of
 * other schemas. A timer ends with the task that started it, and one that throws fails that task.
 */
export function timersOf(key: string): Record<string, unknown> {
  const stops = new Map<number, () => void>();
  let last = 0;

  const start = (schedule: Schedule, stopNative: (timer: never) => void, repeats: boolean) => {
    return (callback: unknown, delay?: unknown, ...args: unknown[]): number => {
      if (typeof callback !== 'function') throw new TypeError('A timer takes a function');
      const task = taskOfProgram(key);
      if (task === undefined) throw new Error('The call that starts this timer has ended');
      if (stops.size >= MAX_TIMERS) throw new RangeError(`More than ${MAX_TIMERS} timers`);
      const id = ++last;
      const run = (): void => {
        if (!repeats) stop();
        try {
          Reflect.apply(callback, undefined, args);
        } catch (thrown) {
          task.fail(thrown);
        }
      };
      const timer = schedule(run, Number(delay) || 0);
      const stop = (): void => {
        stopNative(timer as never);
        stops.delete(id);
        task.stops.delete(stop);
      };
      stops.set(id, stop);
      task.stops.add(stop);
      return id;
    };
  };
  const clear = (id?: unknown): void => stops.get(Number(id))?.();

  return {
    setTimeout: start(native.setTimeout, native.clearTimeout, false),
    setInterval: start(native.setInterval, native.clearInterval, true),
    setImmediate: start((callback) => native.setImmediate(callback), native.clearImmediate, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    queueMicrotask: (callback: unknown): void => {
      if (typeof callback !== 'function') throw new TypeError('A microtask takes a function');
      const task = taskOfProgram(key);
      native.queueMicrotask(() => {
        try {
          Reflect.apply(callback, undefined, []);
        } catch (thrown) {
          task?.fail(thrown);
        }
      });
    },
  };
}
