/** Fields by which the entries of common lists are known: chains, countries, currencies. */
const namingFields = ['alias', 'code', 'alpha2', 'name'] as const;

/**
 * The names of the shared lists that a definition takes values from, and those of their entries. A tool that takes the number
 * of a chain is found by the chain's name.
 *
 * @param definition - The tool or resource as `main` has it, with its references to lists.
 * @param lists - The entries that the schema uses, by the name of the list.
 */
export function listWords(definition: unknown, lists: Readonly<Record<string, readonly unknown[]>>): string[] {
  const names = Object.keys(lists);
  if (names.length === 0) return [];
  const written = JSON.stringify(definition) ?? '';
  const used = names.filter((name) => written.includes(`{{${name}:`) || written.includes(`$${name}`));
  return [...new Set(used.flatMap((name) => [name, ...(lists[name] ?? []).flatMap(entryNames)]))];
}

function entryNames(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  if (typeof entry !== 'object' || entry === null) return [];
  const fields = entry as Record<string, unknown>;
  return namingFields.flatMap((field) => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return typeof value === 'string' ? value : [];
  });
}
