import { isBuiltin } from 'node:module';
import type { LibraryPin } from '@schemakit/core';
import { type CommandResult, failed, failWith } from '../output/command-result.ts';
import { readSettings } from './read-settings.ts';
import { writeConfig } from './write-settings.ts';

/** The option of `loadSchema` for the libraries that the user allowed (docs/libraries.md, "The allowlist"). */
export function allowedLibraries(): { libraries?: Readonly<Record<string, LibraryPin | null>> } {
  const { allowedLibraries: all } = readSettings().home;
  return all.size === 0 ? {} : { libraries: Object.fromEntries(all) };
}

/** Adds installed libraries to `security.allowedLibraries` of the global settings, pinned. Returns the problem, if there is one. */
export async function allowLibraries(names: readonly string[]): Promise<CommandResult | undefined> {
  const { mode, paths, home } = readSettings();
  // An agent must not grant itself permissions.
  if (mode === 'agent') {
    const error = '`--allow-library` is only available in dev mode; this project is in agent mode.';
    return failed('usage', { error, fix: 'Run: schemakit mode dev' });
  }
  const { pinLibrary } = await import('@schemakit/core/internal');
  const allowed = new Map(home.allowedLibraries);
  for (const name of names) {
    if (isBuiltin(name)) {
      const error = `${name} is a module of Node.js, which cannot be allowed.`;
      const fix = `Leave out --allow-library ${name}. docs/libraries.md lists what handlers may use without it.`;
      return failed('usage', { error, fix });
    }
    const pin = await pinLibrary(name, process.cwd());
    if (pin === undefined) {
      return failed('usage', { error: `The library ${name} is not installed.`, fix: `Run: npm install ${name}` });
    }
    allowed.set(name, pin);
    process.stderr.write(`Allowed ${name} ${pin.version} for the handlers of all schemas.\n`);
  }
  const written = await writeConfig(paths.home, ({ security, ...fields }) => ({
    ...fields,
    security: { ...Object(security), allowedLibraries: [...allowed].map(([name, pin]) => ({ name, ...pin })) },
  }));
  return written.ok ? undefined : failWith([written.finding]);
}
