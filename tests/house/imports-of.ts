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
