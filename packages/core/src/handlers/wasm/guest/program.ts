import { inFactory, openHandlers } from '../../host/open-handlers.ts';
import { errorOf, scriptName } from '../../host/thrown.ts';
import { withoutLibraries } from '../unsupported.ts';
import type { VmProgram } from '../vm-message.ts';
import { harden } from './freeze-realm.ts';
import { compile } from './natives.ts';

/** Runs the statements and the factory of the program of this VM. Gives what the factory returned. */
export function openProgram({ source, sharedLists }: VmProgram): object {
  const given = { sharedLists: harden(sharedLists), libraries: harden({}) };
  return openHandlers(evaluateScript(source, 'handlers'), given);
}

/** The value that a script binds to `exportName`. */
export function evaluateScript(source: string, exportName: string): unknown {
  const read = `typeof ${exportName} === 'undefined' ? undefined : ${exportName}`;
  // A function of its own: what the script declares may have the name of something global. Its lines stand where they stood.
  const run = inFactory(() => compile(`(function () { 'use strict'; ${source}\n;return ${read};\n})`, scriptName('')));
  return inFactory(() => Reflect.apply(run as () => unknown, undefined, []));
}

/** What `import('x')` of a handler becomes. */
export async function importInHandler(name: unknown): Promise<never> {
  throw errorOf(withoutLibraries(`'${String(name)}'`));
}
