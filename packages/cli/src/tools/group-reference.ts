/** What a reference in a group names. */
export interface GroupReference {
  /** `<source>/<file>.mjs`. */
  file: string;
  /** Absent where all of the file is meant. */
  part?: { type: string; name: string };
}

/**
 * Reads a reference as groups keep them: `<source>/<file>.mjs`, alone or with `::<type>::<name>` or `::<name>` after it. Undefined
 * for any other text, which leads nowhere in a group.
 */
export function readGroupReference(text: string): GroupReference | undefined {
  const [, file, rest] = /^(.*?\.mjs)(?:::(.+))?$/s.exec(text.trim()) ?? [];
  if (file === undefined) return undefined;
  if (rest === undefined) return { file };
  const [, type = 'tool', name = rest] = /^(\w*)::(.+)$/s.exec(rest) ?? [];
  return { file, part: { type, name } };
}
