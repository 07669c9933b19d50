const INTERVAL_MS = 500;
const PATIENCE_MS = 2000;

/** Asks whether a host still reacts. */
export interface HostPulse {
  /** Begins or stops asking. */
  setOn(on: boolean): void;
  /** The host has answered. Gives when it was asked. */
  beat(): number | undefined;
}

/**
 * Watches whether a host reacts while several calls are in it, or none. Code that does not yield keeps its neighbours from
 * being answered, and long before its own deadline they can be moved to where they are; and code that goes on after its call
 * has no deadline.
 *
 * @param onStall Called when the host has not answered for two seconds.
 */
export function watchPulse({ ping, onStall }: { ping: () => void; onStall: () => void }): HostPulse {
  let timer: NodeJS.Timeout | undefined;
  let askedAt: number | undefined;
  let lookedAt = 0;

  function look(): void {
    const now = performance.now();
    // Answers that came while our own process was busy are still to be read.
    const wasAway = now - lookedAt > 2 * INTERVAL_MS;
    lookedAt = now;
    if (askedAt === undefined) {
      askedAt = now;
      ping();
    } else if (wasAway) {
      askedAt = now;
    } else if (now - askedAt > PATIENCE_MS) {
      setOn(false);
      onStall();
    }
  }

  function setOn(on: boolean): void {
    if (on === (timer !== undefined)) return;
    clearInterval(timer);
    askedAt = undefined;
    lookedAt = performance.now();
    timer = on ? setInterval(look, INTERVAL_MS).unref() : undefined;
  }

  return {
    setOn,
    beat: () => {
      const asked = askedAt;
      askedAt = undefined;
      return asked;
    },
  };
}
