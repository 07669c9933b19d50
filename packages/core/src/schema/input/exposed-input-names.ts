import { numberedName } from '../references/tool-names.ts';
import type { Input } from '../schema.ts';

const maxLength = 64;

/**
 * The names under which MCP clients see inputs. Strict clients accept only property names of 1 to 64 characters
 * from `[A-Za-z0-9_.-]`; other names, such as `filter[name]` or `$limit`, become similar ones: `filter_name`, `limit`. Names are
 * unique, and none is the name or an alias of another input. The same inputs give the same names.
 */
export function exposedInputNames(inputs: readonly Input[]): ReadonlyMap<string, string> {
  const exposed = new Map<string, string>();
  const refused: Input[] = [];
  for (const input of inputs) {
    if (isAccepted(input.name)) exposed.set(input.name, input.name);
    else refused.push(input);
  }
  const used = new Set(inputs.flatMap(({ name, aliases }) => [name, ...aliases]));
  for (const { name } of refused) {
    const free = freeName(nearName(name), used);
    used.add(free);
    exposed.set(name, free);
  }
  return exposed;
}

function isAccepted(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name);
}

function nearName(name: string): string {
  const near = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, maxLength);
  return near === '' ? 'input' : near;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; used.has(free); number += 1) free = numberedName(name, number);
  return free;
}
