const INTERVAL_MS = 1000;
/** Node.js itself, SES and what the collector has not given back yet. */
const BASE_MB = 128;

/**
 * Tells whether this process holds more memory than a heap of its size and Node.js need, so that a new one should take its
 * place between two calls: compartments and what schemas keep in them are never given back. Looks once a second at most.
 */
export function watchGrowth(memoryMb: number): () => boolean {
  const limit = (memoryMb + BASE_MB) * 1024 * 1024;
  let lookedAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - lookedAt < INTERVAL_MS) return false;
    lookedAt = now;
    return process.memoryUsage.rss() > limit;
  };
}
