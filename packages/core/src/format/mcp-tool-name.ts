import { createHash } from 'node:crypto';

const maxLength = 64;

/**
 * The name of a tool on MCP: `<namespace>__<toolName>` (specification 2.3), in the characters `[A-Za-z0-9_-]` and at most 64
 * of them, as strict clients demand. A longer name keeps its beginning and ends in a short hash of the whole.
 */
export function mcpToolName(namespace: string, toolName: string): string {
  const name = `${namespace}__${plainToolName(toolName)}`;
  return name.length <= maxLength ? name : `${name.slice(0, maxLength - 9)}_${shortHash(name)}`;
}

/** A tool's name in the characters `[A-Za-z0-9_-]`; letters lose their accents. */
export function plainToolName(toolName: string): string {
  if (/^[A-Za-z0-9]+$/.test(toolName)) return toolName;
  const plain = toolName
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '');
  return plain === '' ? shortHash(toolName) : plain;
}

/** Adds a number to a name, within the length that names may have. */
export function numberedName(name: string, number: number): string {
  const suffix = `_${number}`;
  return `${name.slice(0, maxLength - suffix.length)}${suffix}`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
