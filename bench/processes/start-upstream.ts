import { forkWorker, type Worker } from './fork-worker.ts';

/** Starts the API that the measured programs call. */
export async function startUpstream(
  program: URL = new URL('../programs/upstream.ts', import.meta.url),
): Promise<Pick<Worker, 'close'> & { url: string }> {
  const worker = forkWorker(program);
  const { url } = await worker.hello<{ url: string }>();
  return { url, close: worker.close };
}
