/** `node:async_hooks` in a VM: one task runs there at a time, so whatever runs belongs to the last one. */
export class AsyncLocalStorage<Store> {
  #store: Store | undefined;

  run<Result>(store: Store, work: () => Result): Result {
    this.#store = store;
    return work();
  }

  getStore(): Store | undefined {
    return this.#store;
  }
}
