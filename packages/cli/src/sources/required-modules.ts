import { isBuiltin } from 'node:module';
import { isRecord } from '../settings/read-json.ts';
import type { CheckedModule } from './check-schemas.ts';

/** An npm package that schemas of a source need. */
export interface RequiredModule {
  name: string;
  /** As the registry notes; null where it does not. */
  version: string | null;
  isInstalled: boolean;
}

/**
 * The packages that schemas need for their handlers. A registry has a say about versions only: packages that it names and no
 * schema uses could be anything, and would be installed with the rights of the user.
 */
export function requiredModules(schemas: readonly CheckedModule[], registry: unknown): RequiredModule[] {
  const missing = new Set<string>();
  const names = new Set<string>();
  for (const { main, findings } of schemas) {
    const libraries = Array.isArray(main?.requiredLibraries) ? main.requiredLibraries.map(String) : [];
    for (const [index, name] of libraries.entries()) {
      if (isBuiltin(name)) continue;
      names.add(name);
      const isMissing = findings.some(
        ({ code, path }) => code === 'LIB001' && path === `main.requiredLibraries[${index}]`,
      );
      if (isMissing) missing.add(name);
    }
  }
  const versions = versionsIn(registry);
  return [...names]
    .sort()
    .map((name) => ({ name, version: versions.get(name) ?? null, isInstalled: !missing.has(name) }));
}

/** Ranges that need no quotes in a shell. */
const plainRange = /^[~^]?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?$/;

function versionsIn(registry: unknown): Map<string, string> {
  const versions = new Map<string, string>();
  const schemas = isRecord(registry) && Array.isArray(registry.schemas) ? registry.schemas : [];
  for (const entry of schemas) {
    const modules: unknown = isRecord(entry) ? entry.requiredModules : undefined;
    for (const module of Array.isArray(modules) ? modules : []) {
      if (!isRecord(module) || typeof module.name !== 'string' || typeof module.version !== 'string') continue;
      if (plainRange.test(module.version)) versions.set(module.name, module.version);
    }
  }
  return versions;
}
