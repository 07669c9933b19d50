/** The hooks of both protocols. */
export type HookName = 'preRequest' | 'executeRequest' | 'postRequest' | 'preProcess' | 'postProcess';

/** The one argument of a hook, as data. */
export interface HookContext {
  /** What the hook sees when it lists its argument. */
  visible: Record<string, unknown>;
  /**
   * Properties that can be read but are not listed, so that a hook which copies or serialises its argument does not carry them
   * along: `{ path: ['struct', 'serverParams'], value }`. A path whose parent is no object is left out. With `watched`, it is
   * told which properties of the value were read.
   */
  hidden: readonly { path: readonly string[]; value: unknown; watched?: boolean }[];
}

/**
 * Builds the argument of a hook: `visible` with the `hidden` properties defined as non-enumerable. Nothing in `context` is
 * changed; the objects on the way to a hidden property are copied.
 */
export function openContext({ visible, hidden }: HookContext, onRead?: (key: string) => void): Record<string, unknown> {
  const opened = { ...visible };
  const copies = new Set<object>([opened]);
  for (const { path, value: plain, watched } of hidden) {
    const key = path.at(-1);
    const owner = ownerOf(opened, path.slice(0, -1), copies);
    if (key === undefined || owner === undefined) continue;
    const value = watched && onRead ? watchReads(plain, onRead) : plain;
    Object.defineProperty(owner, key, { value, enumerable: false, writable: true, configurable: true });
  }
  return opened;
}

function watchReads(value: unknown, onRead: (key: string) => void): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const watched = {};
  for (const [key, item] of Object.entries(value)) {
    const get = () => {
      onRead(key);
      return item;
    };
    Object.defineProperty(watched, key, { get, enumerable: true });
  }
  return watched;
}

/**
 * Watches the `struct` of a hook's argument. Some handlers write to it and return something else, or nothing: the function
 * that this gives tells which of its properties have another value by then, and the messages that were added.
 */
export function watchStruct({ struct }: Record<string, unknown>): () => Record<string, unknown> {
  if (typeof struct !== 'object' || struct === null) return () => ({});
  const before: Record<string, unknown> = { ...struct };
  return () => {
    const entries = Object.entries(struct).filter(([key, value]) =>
      Array.isArray(value) && value === before[key] ? key === 'messages' && value.length > 0 : value !== before[key],
    );
    return Object.fromEntries(entries);
  };
}

function ownerOf(root: object, path: readonly string[], copies: Set<object>): object | undefined {
  let owner = root;
  for (const key of path) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    const child: unknown = descriptor?.value;
    if (typeof child !== 'object' || child === null || Array.isArray(child)) return undefined;
    if (copies.has(child)) {
      owner = child;
      continue;
    }
    const copy = { ...child };
    copies.add(copy);
    Object.defineProperty(owner, key, { ...descriptor, value: copy });
    owner = copy;
  }
  return owner;
}
