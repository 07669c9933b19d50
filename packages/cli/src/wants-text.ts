import { printable } from './printable.ts';
import type { SchemaWants } from './wanted-trust.ts';

/** What a schema wants, as text for a terminal. */
export function wantsText(wants: SchemaWants): string {
  const { file, state, changes, root, secrets, hooks, hosts, libraries, lists, scan, grants } = wants;
  const network = grants.network === 'any' ? ['any public address'] : grants.network;
  const rows: [label: string, values: readonly string[]][] = [
    ['changed', changes],
    ['sends requests to', [root || 'no address of its own']],
    ['asks for secrets', secrets],
    ['has handlers', hooks ?? ['known only once they run']],
    ['with addresses of', hosts],
    ['uses libraries', libraries],
    ['uses shared lists', lists],
    ['scan', scan],
    ['handlers may read', grants.secrets],
    ['handlers may reach', network],
  ];
  const shown = rows.flatMap(([label, values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(20)}${printable(value)}\n`),
  );
  return `${printable(file)} (${state})\n${shown.join('')}`;
}
