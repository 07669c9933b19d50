import { createHash } from 'node:crypto';
import type { Finding } from '../finding.ts';
import { ruleFinding } from '../finding-codes.ts';

export interface ToolPlace {
  namespace: string;
  toolName: string;
  /** The schema's file: `<source>/<file>.mjs`, or a path that ends so. */
  file?: string;
  /** The provider's folder. Default: the folder that `file` is in. */
  folder?: string;
}

export interface ToolNames {
  /** On MCP: `<namespace>__<toolName>` in the characters that clients take. */
  mcp: string;
  /** On the command line: `<namespace>_<toolName>`. */
  cli: string;
  /** In agents: `<namespace>/tool/<toolName>`. */
  id: string;
  /** As older programs of the format named it: `tool_name_namespace`. */
  legacy: string;
  /** In groups: `<source>/<file>.mjs::tool::<toolName>`. Only if the file is known. */
  reference?: string;
}

/**
 * All names of a tool. In a set of tools, use `nameTools`: it keeps names apart.
 *
 * @example
 * console.log(toolNames({ namespace: 'tides', toolName: 'getTides' }).mcp); // tides__getTides
 */
export function toolNames({ namespace, toolName, file }: ToolPlace): ToolNames {
  return {
    mcp: mcpToolName(namespace, toolName),
    cli: `${namespace}_${plainToolName(toolName)}`,
    id: `${namespace}/tool/${toolName}`,
    legacy: legacyToolName(namespace, toolName),
    ...(file !== undefined && { reference: `${file}::tool::${toolName}` }),
  };
}

/** The name in format 1: `tool_name_namespace`. Cut before characters are replaced, as older programs do. */
export function legacyToolName(namespace: string, toolName: string): string {
  return `${snakeCase(toolName)}_${snakeCase(namespace)}`.slice(0, 63).replaceAll(':', '').replace(/[-/]/g, '_');
}

function snakeCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

const maxLength = 64;

/** Characters of a tool's name that stay when a long namespace leaves less room. */
const keptOfTool = 32;

/**
 * The name of a tool on MCP: `<namespace>__<toolName>` in `[A-Za-z0-9_-]`, at most 64 characters. A longer one ends in a short hash, and
 * keeps the beginnings of both parts.
 */
export function mcpToolName(namespace: string, toolName: string): string {
  const plain = plainToolName(toolName);
  const name = `${namespace}__${plain}`;
  if (name.length <= maxLength) return name;
  const room = maxLength - 9;
  const shown = namespace.slice(0, room - 2 - Math.min(plain.length, keptOfTool));
  return `${`${shown}__${plain}`.slice(0, room)}_${shortHash(name)}`;
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

export interface NamedTools<T> {
  named: readonly { tool: T; names: ToolNames }[];
  /** A warning for each name that several tools would have. */
  findings: Finding[];
}

/**
 * Names the tools of a set so that no two share an MCP name or a name on the command line. Of those that would, the first
 * by file (then by namespace and tool) keeps the name; the others get `_2`, `_3` and so on, without taking a name that is
 * another tool's own. The order of the set does not matter.
 *
 * @example
 * const { named } = nameTools([{ namespace: 'tides', toolName: 'getTides' }]);
 * console.log(named[0]?.names.cli); // tides_getTides
 */
export function nameTools<T extends ToolPlace>(tools: readonly T[]): NamedTools<T> {
  const named = tools.map((tool) => ({ tool, names: toolNames(tool) }));
  const inOrder = named.toSorted((left, right) => compare(sortKey(left.tool), sortKey(right.tool)));
  const findings = (['mcp', 'cli'] as const).flatMap((kind) => keepApart(inOrder, kind));
  return { named, findings };
}

/** Names that collide on the command line collide on MCP too; one finding for both is enough. */
function keepApart(inOrder: readonly { tool: ToolPlace; names: ToolNames }[], kind: 'mcp' | 'cli'): Finding[] {
  const groups = Map.groupBy(inOrder, ({ names }) => names[kind]);
  const taken = new Set(groups.keys());
  const findings: Finding[] = [];
  for (const [name, members] of groups) {
    // Exact names win over names that only match after they were converted.
    const [first, ...others] = [...members.filter(isExact), ...members.filter((member) => !isExact(member))];
    if (first === undefined || others.length === 0) continue;
    let number = 2;
    for (const { names } of others) {
      while (taken.has(numberedName(name, number))) number += 1;
      names[kind] = numberedName(name, number);
      taken.add(names[kind]);
    }
    if (kind === 'mcp') findings.push(collision(name, [first, ...others]));
  }
  return findings;
}

function isExact({ tool }: { tool: ToolPlace }): boolean {
  return plainToolName(tool.toolName) === tool.toolName;
}

function collision(name: string, members: readonly { tool: ToolPlace; names: ToolNames }[]): Finding {
  const places = members.map(({ tool, names }) => `${names.mcp} (${tool.file ?? names.id})`);
  const message = `${members.length} tools would be named ${name}; they are exposed as ${places.join(', ')}`;
  return ruleFinding('REF005', name, message, 'Activate one of them, or rename the tool in one of the schemas.');
}

function sortKey({ file = '', namespace, toolName }: ToolPlace): string {
  return [file, namespace, toolName].join('\0');
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
