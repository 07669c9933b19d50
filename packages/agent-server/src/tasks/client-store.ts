import { type RunStore, UnreadableError } from '../store/run-store.ts';

/** A store as the clients of its runs reach it. Calls wait until it is open. Its errors are reported; clients get a {@link BusyError}. */
export type ClientStore = Omit<
  RunStore,
  'readAnswer' | 'append' | 'claim' | 'claimWaiting' | 'renew' | 'take' | 'expire' | 'close'
> & {
  /** Reports an error, and throws what clients get. */
  fail(error: unknown): never;
};

/** @param report Receives the errors. */
export function clientStore(opening: Promise<RunStore>, report: (error: unknown) => void): ClientStore {
  const fail = (error: unknown): never => {
    report(error);
    throw new BusyError(
      'The tasks of this server cannot be read or stored at the moment. Try again later.',
      storeRetryMs,
    );
  };
  const opened = opening.catch(fail);
  opened.catch(() => {});
  const use = async <T>(call: (store: RunStore) => Promise<T>): Promise<T> => call(await opened).catch(fail);
  return {
    fail,
    create: (run, entries) => use((store) => store.create(run, entries)),
    get: (id) => use((store) => store.get(id)),
    list: (options) => use((store) => store.list(options)),
    async read(id, from) {
      const store = await opened;
      return store.read(id, from).catch((error: unknown) => {
        if (error instanceof UnreadableError) throw error;
        return fail(error);
      });
    },
    request: (id, request) => use((store) => store.request(id, request)),
    counts: () => use((store) => store.counts()),
    putRecord: (key, text, options) => use((store) => store.putRecord(key, text, options)),
    getRecord: (key) => use((store) => store.getRecord(key)),
    deleteRecord: (key) => use((store) => store.deleteRecord(key)),
    watch(listener) {
      let stop: (() => void) | undefined;
      let isOpen = true;
      void opened.then(
        (store) => {
          if (isOpen) stop = store.watch(listener);
        },
        () => {},
      );
      return () => {
        isOpen = false;
        stop?.();
      };
    },
  };
}

const storeRetryMs = 5_000;

/** What clients are told when a request cannot be served now: nothing of files and keys. JSON-RPC's first code for servers. */
export class BusyError extends Error {
  readonly code = -32000;
  readonly data: { retryAfterMs: number };

  /** @param retryAfterMs When to come back. */
  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.data = { retryAfterMs };
  }

  /** The same for the header `Retry-After`. */
  get retryAfter(): string {
    return String(Math.ceil(this.data.retryAfterMs / 1000));
  }
}
