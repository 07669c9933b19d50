/** Signals that end a command, with their numbers: a shell sees 128 and the number as the status. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

interface Closing {
  close: () => Promise<void>;
  isServer: boolean;
}

let closing: Closing | undefined;

/**
 * Ends the process by `exit`, which ends handler hosts too: a host in a loop does not notice that we are gone. What has to close
 * first does; the second signal does not wait for it.
 */
export function endOnSignals(): void {
  let isEnding = false;
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      if (closing === undefined || isEnding) process.exit(128 + number);
      isEnding = true;
      const { close, isServer } = closing;
      close().then(
        () => process.exit(isServer ? 0 : 128 + number),
        () => process.exit(1),
      );
    });
  }
}

/** Lets a server end in order when a signal comes: that is how servers end, and the status is 0. */
export function closeOnSignals(close: () => Promise<void>): void {
  closing = { close, isServer: true };
}

/** Lets a command end in order when a signal comes, such as a process that it has started. It was broken off, as the status says. */
export function breakOffOnSignals(close: () => Promise<void>): void {
  closing = { close, isServer: false };
}

/** Ends the process where nobody reads its output any more, as in `schemakit list | head`. */
export function endWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
