import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fromSource = import.meta.url.endsWith('.ts');
const hostFile = fileURLToPath(new URL(fromSource ? './query-host.ts' : './query-host.js', import.meta.url));

/** Heap for rows on their way out, in MiB. SQLite's own memory is watched by the host. */
const HEAP_MB = 256;

/**
 * The command line of a host. Everything that the permission model of Node.js knows is denied, except reading the host's
 * program and the database with the files that SQLite keeps beside it, and the thread that watches the memory. SQLite itself
 * is not bound by this: it opens the database for reading only, and gets no statement that could name another file.
 */
export function queryCommand({ database, memoryMb }: { database: string; memoryMb: number }): {
  file: string;
  args: string[];
} {
  const program = fromSource ? join(dirname(hostFile), '*') : hostFile;
  const readable = [program, database, `${database}-wal`, `${database}-shm`, `${database}-journal`];
  return {
    file: process.execPath,
    args: [
      '--permission',
      '--allow-worker',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${HEAP_MB}`,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      hostFile,
      database,
      String(memoryMb),
    ],
  };
}
