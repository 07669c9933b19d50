import type { FunctionPath, HookPlan } from './hook-plan.ts';
import { functionMark } from './legacy-data.ts';
import { createLegacyHandlers } from './legacy-handlers.ts';

/**
 * The handlers of a format 1 file as a script that binds a `handlers` factory, as the wall runs it. Every line of the file
 * stays where it was.
 *
 * @param program - A script that binds `schema`.
 */
export function handlerScript(program: string, plans: readonly HookPlan[]): string {
  // Inside of a function, names of the file such as `handlers` are its own.
  return `const handlers = () => {${program}
;return __schemakitLegacyHandlers(schema, ${literal(plans)});};
const __schemakitLegacyHandlers = ${createLegacyHandlers};
`;
}

/** A script that binds `legacyData`, for the schema of a file that only running it can tell. */
export function dataScript(program: string): string {
  return `const legacyData = (() => {${program}
;return JSON.parse(JSON.stringify(schema, (key, value) => typeof value === 'function' ? '${functionMark}' : value));})();
`;
}

/** The hooks that the script gives to tools, by tool. */
export function plannedHookNames(plans: readonly HookPlan[]): Record<string, readonly string[]> {
  // Callers look names up that come from files, so that nothing may be inherited.
  const names: Record<string, readonly string[]> = Object.create(null);
  const given = (hook: string, paths: readonly FunctionPath[]) => (paths.length > 0 ? [hook] : []);
  for (const { tool, pre, execute, post } of plans) {
    names[tool] = [...given('preRequest', pre), ...given('executeRequest', execute), ...given('postRequest', post)];
  }
  return names;
}

/** JSON in a script. SES refuses texts such as `import(` and `<!--` even in strings, so these characters are escaped. */
function literal(plans: readonly HookPlan[]): string {
  const inHexadecimal = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(plans).replace(/[<>(]/g, inHexadecimal);
}
