import type { CodeAttack } from '../attack.ts';

/** Tells whether an attack uses what handlers in WebAssembly do not have, so that its file is refused when it is loaded. */
export function lacksInWasm({ hook = '', top = '', module = '', libraries = [] }: CodeAttack): boolean {
  return libraries.length > 0 || /(?<!typeof )\b(?:Buffer|Intl)\b(?!')/.test(`${hook}\n${top}\n${module}`);
}
