/** Looks in a row in which the host was busy; collecting garbage after a large call takes less. */
const MAX_BUSY_LOOKS = 4;
/** Part of the time between two looks. A quiet host uses hardly any; a busy one gets no more of it on a loaded machine. */
const BUSY_SHARE = 0.1;

/**
 * Tells whether a host uses the processor for long while no call is in it: then something that a call has left goes on, in a
 * thread, or in a timer of a library.
 *
 * @returns what takes the processor time of each sign of life, in milliseconds since the host began.
 */
export function watchLoad(): (cpuMs: number, state: { isIdle: boolean }) => boolean {
  let last: { cpuMs: number; at: number } | undefined;
  let busyLooks = 0;
  return (cpuMs, { isIdle }) => {
    const now = performance.now();
    const isBusy = last !== undefined && cpuMs - last.cpuMs > BUSY_SHARE * (now - last.at);
    busyLooks = isIdle && isBusy ? busyLooks + 1 : 0;
    last = { cpuMs, at: now };
    return busyLooks >= MAX_BUSY_LOOKS;
  };
}
