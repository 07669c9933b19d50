import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An import as it stands in the product. */
export interface Import {
  /** The file that imports, from the root of the project. */
  file: string;
  /** What it imports: a file from the root of the project, or the name of a package. */
  target: string;
}

const root = join(import.meta.dirname, '../..');

/** The imports of the product's files that match a pattern. Tests and fixtures are not the product: they use the whole house. */
export function importsOf(pattern: string): Import[] {
  const files = globSync(pattern, { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  const product = files.filter((file) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'));
  return product.flatMap((file) =>
    specifiersIn(readFileSync(join(root, file), 'utf8')).map((specifier) => ({
      file,
      target: specifier.startsWith('.') ? join(dirname(file), specifier).replaceAll('\\', '/') : specifier,
    })),
  );
}

/** What a module imports and exports from elsewhere, types too. The formatter keeps these in one form. */
export function specifiersIn(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)(?:[^'";]*?\sfrom)?\s*'([^']+)'/gm);
  const expressions = text.matchAll(/\bimport\('([^']+)'\)/g);
  return [...statements, ...expressions].flatMap(([, specifier]) => specifier ?? []);
}

/** The circles among imports, by value or by type: files of which each can be reached from each other. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const indexes = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  // Tarjan's algorithm. Gives the lowest index that can be reached from a file.
  function visit(file: string): number {
    const index = indexes.size;
    indexes.set(file, index);
    open.push(file);
    let lowest = index;
    for (const { target } of targets.get(file) ?? []) {
      if (!indexes.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, indexes.get(target) ?? lowest);
    }
    if (lowest === index) {
      const members = open.splice(open.indexOf(file));
      if (members.length > 1) circles.push(members.sort());
    }
    return lowest;
  }

  for (const file of targets.keys()) if (!indexes.has(file)) visit(file);
  return circles;
}
