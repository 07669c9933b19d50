import { describeThrown, HostFailure } from './thrown.ts';

/** Calls the factory of a program, and gives the handlers that it returned. @throws {HostFailure} */
export function openHandlers(factory: unknown, given: { sharedLists: object; libraries: object }): object {
  if (typeof factory !== 'function') throw invalidFactory('handlers export must be a function');
  const handlers: unknown = inFactory(() => Reflect.apply(factory, undefined, [given]));
  if (!isPlainObject(handlers)) throw invalidFactory('Factory must return a plain object');
  return handlers;
}

/** Runs what belongs to the module or its factory; what it throws says so. */
export function inFactory<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw new HostFailure(describeThrown(thrown, 'FACTORY_THREW'));
  }
}

function invalidFactory(message: string): HostFailure {
  return new HostFailure({ code: 'FACTORY_INVALID', message });
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
