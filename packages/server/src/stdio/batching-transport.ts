import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/**
 * Standard input and output. It gathers the answers of one turn of the event loop and writes them at once while `isBusy`: with
 * many calls at a time, a system call for each answer takes a fifth of a server's time. A single answer is written without waiting.
 */
export class BatchingTransport extends StdioServerTransport {
  readonly #isBusy: () => boolean;

  constructor(isBusy: () => boolean) {
    super();
    this.#isBusy = isBusy;
    // Each answer that waits for room listens; there may be as many as there are calls.
    process.stdout.setMaxListeners(0);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const { stdout } = process;
    if (stdout.writableCorked === 0 && this.#isBusy()) {
      stdout.cork();
      setImmediate(() => stdout.uncork());
    }
    return super.send(message);
  }
}
