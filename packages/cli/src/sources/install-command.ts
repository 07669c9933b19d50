import { shellWord } from '../output/shell-word.ts';
import type { RequiredModule } from './required-modules.ts';

/**
 * The command that installs what schemas need and is not there, for a shell; undefined where nothing is missing.
 *
 * @param options.home - The folder above all sources: what is installed there, each of them finds.
 */
export function installCommand(modules: readonly RequiredModule[], { home }: { home: string }): string | undefined {
  const missing = modules.filter(({ isInstalled }) => !isInstalled);
  if (missing.length === 0) return undefined;
  const names = new Set(missing.map(({ name, version }) => (version === null ? name : `${name}@${version}`)));
  return `npm install --prefix ${shellWord(home)} ${[...names].join(' ')}`;
}
