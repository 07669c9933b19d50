import type { Finding } from './finding.ts';
import { numberedName, plainToolName } from './mcp-tool-name.ts';
import { type ToolNames, type ToolPlace, toolNames } from './tool-names.ts';

export interface NamedTools<T> {
  /** In the order of the tools. */
  named: readonly { tool: T; names: ToolNames }[];
  /** A warning for each name that several tools would have. */
  findings: Finding[];
}

/**
 * Names the tools of a set so that no two share an MCP name or a name on the command line. Of those that would, the first
 * by file (then by namespace and tool) keeps the name; the others get `_2`, `_3` and so on, without taking a name that is
 * another tool's own. The order of the set does not matter.
 */
export function nameTools<T extends ToolPlace>(tools: readonly T[]): NamedTools<T> {
  const named = tools.map((tool) => ({ tool, names: toolNames(tool) }));
  const inOrder = [...named].sort((left, right) => compare(sortKey(left.tool), sortKey(right.tool)));
  const findings = (['mcp', 'cli'] as const).flatMap((kind) => keepApart(inOrder, kind));
  return { named, findings };
}

/** Where names on the command line collide, those on MCP do as well; one finding for both is enough. */
function keepApart(inOrder: readonly { tool: ToolPlace; names: ToolNames }[], kind: 'mcp' | 'cli'): Finding[] {
  const groups = Map.groupBy(inOrder, ({ names }) => names[kind]);
  const taken = new Set(groups.keys());
  const findings: Finding[] = [];
  for (const [name, members] of groups) {
    // A tool whose own name it is keeps it before one whose name only becomes it.
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
  return {
    code: 'REF005',
    severity: 'warning',
    path: name,
    message: `${members.length} tools would be named ${name}; they are ${places.join(', ')}`,
    hint: 'Activate one of them, or rename the tool in one of the schemas.',
  };
}

function sortKey({ file = '', namespace, toolName }: ToolPlace): readonly string[] {
  return [file, namespace, toolName];
}

function compare(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((part, at) => part !== right[at]);
  return index === -1 ? 0 : (left[index] ?? '') < (right[index] ?? '') ? -1 : 1;
}
