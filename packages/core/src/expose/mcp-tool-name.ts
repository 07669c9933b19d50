import { createHash } from 'node:crypto';

const maxLength = 64;

/**
 * The name of a tool on MCP: `<namespace>__<toolName>` (specification 2.3), in the characters `[A-Za-z0-9_-]` and at most 64
 * of them, as strict clients demand. A longer name keeps its beginning and ends in a short hash of the whole.
 */
export function mcpToolName(namespace: string, toolName: string): string {
  const plain = toolName
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '');
  const name = `${namespace}__${plain === '' ? shortHash(toolName) : plain}`;
  return name.length <= maxLength ? name : `${name.slice(0, maxLength - 9)}_${shortHash(name)}`;
}

/** Gives each name once. Names that are exact come first; a name that is taken gets `_2`, `_3` and so on, within the same length. */
export function uniqueNames(wanted: readonly { name: string; isExact: boolean }[]): string[] {
  const taken = new Set<string>();
  const unique = wanted.map(() => '');
  const order = [...wanted.keys()].sort((left, right) => rank(wanted[left]) - rank(wanted[right]) || left - right);
  for (const index of order) {
    const { name = '' } = wanted[index] ?? {};
    let candidate = name;
    for (let count = 2; taken.has(candidate); count += 1) {
      const suffix = `_${count}`;
      candidate = `${name.slice(0, maxLength - suffix.length)}${suffix}`;
    }
    taken.add(candidate);
    unique[index] = candidate;
  }
  return unique;
}

function rank(wanted: { isExact: boolean } | undefined): number {
  return wanted?.isExact ? 0 : 1;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
