import { keepCompiled } from './compile-cache.ts';
import { readGlobalFlags } from './global-flags.ts';

/** Runs the command line, and sets the exit status of the process. Loads only what it takes to say where compiled code is kept. */
export async function run(words: readonly string[]): Promise<void> {
  const flags = readGlobalFlags(words);
  if (flags.ok) {
    process.chdir(flags.cwd);
    keepCompiled();
  }
  const { runCommandLine } = await import('./run-command-line.ts');
  await runCommandLine(words, flags);
}
