/**
 * The program of a host process: it opens one SQLite database for reading and runs queries on it, one at a time. Our process
 * starts it as query-hosts.ts says and talks to it over its IPC channel. Arguments: the database and the most memory in MiB.
 */
import { isMainThread, workerData } from 'node:worker_threads';
import { serveQueries } from './host/serve-queries.ts';
import { startWatch, watchProcess } from './host/watch-memory.ts';

if (isMainThread) {
  const [file = '', memoryMb = ''] = process.argv.slice(2);
  serveQueries(file, await startWatch(new URL(import.meta.url), { memoryMb: Number(memoryMb) }));
} else {
  watchProcess(workerData);
}
