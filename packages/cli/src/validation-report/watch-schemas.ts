import { watchFiles } from '../watch-files.ts';

/**
 * Does work now, and again whenever something below the paths has changed, until the user ends it. What changes meanwhile is
 * looked at once more. Resolves once it is ended and the work under way is done.
 */
export async function watchSchemas(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  const watched = await watchFiles(() => paths, work, { keepsRunning: true });
  const ended = untilEnded();
  watched.again();
  await ended;
  await watched.close();
}

/** Ctrl-C ends the watching, and not the command before it has said how things stand. */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal);
      process.once(signal, () => resolve());
    }
  });
}
