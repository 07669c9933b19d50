/** Headers that a person wrote, one per line; or the first line that is none. */
export function ownHeadersOf(text: string): { headers: Record<string, string>; bad?: string } {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined || value === '')
      return { headers: {}, bad: line.trim().slice(0, 40) };
    headers[name] = value;
  }
  return { headers };
}
