import type { OperationEntry } from '../plan/plan-operation.ts';

/** A tool of an earlier import of the same API. */
export interface PreviousTool {
  /** On MCP, such as `pets__listPets`. */
  name: string;
  file: string;
  method: string;
  path: string;
}

/** Finds the earlier tools of operations: those of the same method and path, whatever its parameters are called, else of the same name. */
export function matchPrevious(
  names: ReadonlyMap<OperationEntry, string>,
  previous: readonly PreviousTool[],
  namespace: string,
): Map<OperationEntry, PreviousTool> {
  const found = new Map<OperationEntry, PreviousTool>();
  const byRequest = Map.groupBy(previous, requestOf);
  const byName = new Map(previous.map((tool) => [tool.name, tool]));
  for (const entry of names.keys()) {
    const [tool, ...others] = byRequest.get(requestOf(entry)) ?? [];
    if (tool !== undefined && others.length === 0) found.set(entry, tool);
  }
  const taken = new Set(found.values());
  for (const [entry, name] of names) {
    const tool = byName.get(`${namespace}__${name}`);
    if (tool === undefined || found.has(entry) || taken.has(tool)) continue;
    found.set(entry, tool);
    taken.add(tool);
  }
  return found;
}

function requestOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`;
}
