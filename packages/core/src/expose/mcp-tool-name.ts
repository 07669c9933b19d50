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

/** Gives each name once: a name that is taken gets `_2`, `_3` and so on, within the same length. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) {
      const suffix = `_${count}`;
      unique = `${name.slice(0, maxLength - suffix.length)}${suffix}`;
    }
    taken.add(unique);
    return unique;
  });
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
