import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { checkArguments } from '../format/arguments.ts';
import { checkResult } from '../format/check-result.ts';
import { type Finding, hasNoErrors } from '../format/finding.ts';
import { checkAllowlist, type LibraryLocation, locateLibrary, notInstalled } from './libraries.ts';

export interface LoadLibrariesOptions {
  requiredLibraries: readonly string[];
  allowlist: readonly string[];
  /** Folder from which packages are looked up. Default the current one. */
  folder?: string;
}

export interface LoadLibrariesResult {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Name to what the module exports by default, or the module. */
  libraries: Record<string, unknown>;
}

/**
 * Imports allowlisted libraries into this process (specification 4.4), for programs that bring handlers of their own.
 * Handlers of schema files get theirs in a host process instead.
 */
export async function loadLibraries({
  requiredLibraries,
  allowlist,
  folder = process.cwd(),
}: LoadLibrariesOptions): Promise<LoadLibrariesResult> {
  const problems = checkArguments(
    'loadLibraries',
    { requiredLibraries, allowlist },
    { requiredLibraries: 'text array', allowlist: 'text array' },
  );
  if (problems.length > 0) return { ...checkResult(problems), libraries: {} };
  const findings = checkAllowlist(requiredLibraries, allowlist);
  const libraries: Record<string, unknown> = {};
  for (const [index, name] of hasNoErrors(findings) ? requiredLibraries.entries() : []) {
    const location = await locateLibrary(name, [folder]);
    if (location === undefined) {
      findings.push({ ...notInstalled(name, { index, folders: [folder] }), severity: 'error' });
      continue;
    }
    try {
      libraries[name] = await importLibrary(location);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const path = `main.requiredLibraries[${index}]`;
      findings.push({
        code: 'LIB002',
        severity: 'error',
        path,
        message: `Library '${name}' cannot be loaded: ${message}`,
      });
    }
  }
  const status = hasNoErrors(findings);
  return { status, messages: findings.map(({ message }) => message), findings, libraries: status ? libraries : {} };
}

/** What a library exports by default, or all that it exports. */
async function importLibrary({ name, entry }: LibraryLocation): Promise<unknown> {
  try {
    const module = (await import(entry === '' ? name : pathToFileURL(entry).href)) as { default?: unknown };
    return module.default ?? module;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Packages whose entry is a native add-on or JSON can only be required.
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_IMPORT_ATTRIBUTE_MISSING')
      return createRequire(entry)(entry);
    throw error;
  }
}
