import type { Server } from '@modelcontextprotocol/server';
import type { LiveOffer } from '../offer/live-offer.ts';

/** Tells the client of a connection when lists change, until the connection ends. */
export function announceChanges(server: Server, offer: LiveOffer): void {
  // A client that is gone, or that has not said hello yet, asks for the lists anew by itself.
  const send = (sent: Promise<void>) => sent.catch(() => {});
  const unsubscribe = offer.subscribe((change) => {
    if (change.tools) send(server.sendToolListChanged());
    if (change.prompts) send(server.sendPromptListChanged());
    if (change.resources) send(server.sendResourceListChanged());
  });
  const { onclose } = server;
  server.onclose = () => {
    unsubscribe();
    onclose?.();
  };
}
