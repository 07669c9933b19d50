/** MCP specification, completion/complete. */
const maxCompletions = 100;

/** The values that begin with a typed text, in any letter case, at most 100. */
export function completions(values: readonly string[], typed: string): string[] {
  const start = typed.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(start)).slice(0, maxCompletions);
}
