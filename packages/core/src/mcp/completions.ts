/** MCP specification, completion/complete. */
const maxCompletions = 100;

/** What a typed text may go on with: the values that begin so, in any letter case, at most 100. */
export function completions(values: readonly string[], typed: string): string[] {
  const start = typed.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(start)).slice(0, maxCompletions);
}
