import { nodeTimers } from '../natives.ts';

/** `node:timers` in a VM. */
export const setTimeout: typeof nodeTimers.setTimeout = nodeTimers.setTimeout;
export const clearTimeout: typeof nodeTimers.clearTimeout = nodeTimers.clearTimeout;
