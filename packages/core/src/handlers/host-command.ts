import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a host process is started. */
export interface HostCommand {
  file: string;
  args: string[];
  /** Where it starts. */
  folder: string;
}

const fromSource = import.meta.url.endsWith('.ts');
const hostFile = fileURLToPath(new URL(fromSource ? './handler-host.ts' : './handler-host.js', import.meta.url));
// The package in one file: it loads faster than the modules and needs no other package to be readable.
const sesFile = join(dirname(createRequire(import.meta.url).resolve('ses/package.json')), 'dist', 'ses.cjs');

// Node.js 22 notes the call that a promise belongs to on the promise, where handlers can read and write it; with this flag it
// keeps it out of their reach, as later versions always do.
const contextFlags = ['--experimental-async-context-frame'].filter((flag) =>
  process.allowedNodeEnvironmentFlags.has(flag),
);

/**
 * The command line of a host. Everything that the permission model of Node.js knows is denied (files, processes, threads,
 * add-ons, WASI, and from version 25 on the network) except reading the host's own program, SES and the libraries' folders.
 *
 * @param folders Folders of declared libraries.
 * @param memoryMb Largest size of the heap, in MiB.
 */
export function hostCommand({ folders, memoryMb }: { folders: readonly string[]; memoryMb: number }): HostCommand {
  const readable = [fromSource ? join(dirname(hostFile), '*') : hostFile, sesFile];
  for (const folder of folders) readable.push(folder, join(folder, '*'));
  return {
    file: process.execPath,
    folder: dirname(sesFile),
    args: [
      '--permission',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${memoryMb}`,
      // `ATTACH` of SQLite opens files past the permission model.
      '--no-experimental-sqlite',
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      ...contextFlags,
      hostFile,
      sesFile,
      String(memoryMb),
    ],
  };
}
