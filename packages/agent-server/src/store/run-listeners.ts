type Listener = (id: string) => void;

export interface RunListeners {
  readonly isEmpty: boolean;
  /** Returns the function that ends this. */
  add(listener: Listener): () => void;
  tell(id: string): void;
}

/** Those that want to know which runs change. */
export function createRunListeners(): RunListeners {
  const listeners = new Set<{ listener: Listener }>();
  return {
    get isEmpty() {
      return listeners.size === 0;
    },
    add(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    tell(id) {
      // Later, since a listener that throws must not make a write fail that is stored.
      for (const { listener } of listeners) queueMicrotask(() => listener(id));
    },
  };
}
