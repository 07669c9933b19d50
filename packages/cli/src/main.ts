import { enableCompileCache } from 'node:module';
import { readGlobalFlags } from './commands/global-flags.ts';
import { makeCacheFolder } from './settings/settings-paths.ts';

export async function run(words: readonly string[]): Promise<void> {
  const flags = readGlobalFlags(words);
  if (flags.ok) {
    process.chdir(flags.cwd);
    // The demo leaves no files behind.
    if (words[0] !== 'demo') enableCodeCache();
  }
  const { runCommandLine } = await import('./run-command-line.ts');
  await runCommandLine(words, flags);
}

/** Caches compiled code, so that the next command starts faster. */
function enableCodeCache(): void {
  try {
    enableCompileCache(makeCacheFolder('compiled'));
  } catch {
    // Works without a cache too.
  }
}
