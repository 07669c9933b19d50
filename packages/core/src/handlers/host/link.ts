import type { FromHandlerHost } from '../host-message.ts';

// Taken before anything else runs, and taken away from the rest of this process.
const sendMessage = process.send?.bind(process);
delete process.send;

/** Sends a message to our process. */
export function send(message: FromHandlerHost): void {
  sendMessage?.(message);
}
