/** Signals that end a command, with their numbers: the exit status is 128 plus the number. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

interface Closing {
  close: () => Promise<void>;
  isServer: boolean;
}

let closing: Closing | undefined;

/**
 * Ends the process by `exit`, which also kills handler hosts: a host in an endless loop does not notice that its parent is gone.
 * The first signal waits for `close`, the second does not.
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

/** Shuts down a server gracefully on a signal, with status 0. */
export function closeOnSignals(close: () => Promise<void>): void {
  closing = { close, isServer: true };
}

/** Cleans up on a signal, such as a child process, and ends with the status of the signal. */
export function breakOffOnSignals(close: () => Promise<void>): void {
  closing = { close, isServer: false };
}

/** Ends the process when its output is closed, as in `schemakit list | head`. */
export function endWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
