import type { Finding } from '../format/finding.ts';
import { withoutLibraries, withoutName } from '../handlers/wasm/unsupported.ts';
import type { HandlersReading } from '../module/read-module.ts';

/** What handlers use and WebAssembly does not have: errors, which a call would otherwise meet. */
export function unsupportedByWasm(
  handlers: HandlersReading | undefined,
  requiredLibraries: readonly string[],
): readonly Finding[] {
  if (handlers === undefined) return [];
  const required = requiredLibraries.map(
    (name, index): Finding => ({
      ...withoutLibraries(`'${name}'`),
      severity: 'error',
      path: `main.requiredLibraries[${index}]`,
    }),
  );
  const used = (handlers.beyondWasm ?? [])
    .filter(({ name, isLibrary }) => !isLibrary || !requiredLibraries.includes(name))
    .map(({ name, isLibrary, line, column }): Finding => {
      const failure = isLibrary ? withoutLibraries(`'${name}'`) : withoutName(name);
      return { ...failure, severity: 'error', path: 'handlers', line, column };
    });
  return [...required, ...used];
}
