import { enableCompileCache } from 'node:module';
import { readGlobalFlags } from './global-flags.ts';
import { makeCacheFolder } from './settings/settings-paths.ts';

/** Runs the command line, and sets the exit status of the process. */
export async function run(words: readonly string[]): Promise<void> {
  const flags = readGlobalFlags(words);
  if (flags.ok) {
    process.chdir(flags.cwd);
    // The demo leaves nothing behind.
    if (words[0] !== 'demo') keepCompiled();
  }
  const { runCommandLine } = await import('./run-command-line.ts');
  await runCommandLine(words, flags);
}

/** Lets Node keep what it compiles from here on, which every command would compile again. */
function keepCompiled(): void {
  try {
    enableCompileCache(makeCacheFolder('compiled'));
  } catch {
    // Without a cache, a command takes longer.
  }
}
