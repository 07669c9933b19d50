/** The hooks of both protocols. */
export type HookName = 'preRequest' | 'executeRequest' | 'postRequest' | 'preProcess' | 'postProcess';

/** Every name under which a hook may stand. */
export const hookNames: readonly HookName[] = [
  'preRequest',
  'executeRequest',
  'postRequest',
  'preProcess',
  'postProcess',
];

/** Tells whether a hook runs before the request, and describes it in its `struct`. */
export function isBefore(hook: string): boolean {
  return hook === 'preRequest' || hook === 'preProcess';
}

/** The one argument of a hook, as data. */
export interface HookContext {
  /** What the hook sees when it lists its argument. */
  visible: Record<string, unknown>;
  /** What the hook sees in the place of each secret, by name. */
  secrets?: Readonly<Record<string, string>>;
  /**
   * Properties that can be read but are not listed, so that a hook which copies or serialises its argument does not carry them
   * along: `{ path: ['struct', 'serverParams'], value }`. A path whose parent is no object is left out. With `listed`, it is
   * listed like any other; with `watched`, it is told when a property that holds a secret is read.
   */
  hidden: readonly HiddenProperty[];
  /**
   * Text of what the API answered, for `response` and `struct.data`. It is read where the hook runs: text was measured to get
   * there and to be read there in less than half the time that a copy of what is in it takes.
   */
  answerText?: string;
}

interface HiddenProperty {
  path: readonly string[];
  value: unknown;
  listed?: boolean;
  watched?: boolean;
}

/**
 * Builds the argument of a hook: `visible` with the answer, and the `hidden` properties defined as non-enumerable. Nothing in
 * `context` is changed; the objects on the way to a hidden property are copied.
 *
 * @param onRead - Told the names of secrets when watched properties that hold them are read.
 */
export function openContext(
  { visible, secrets = {}, hidden, answerText }: HookContext,
  onRead?: (secret: string) => void,
): Record<string, unknown> {
  const opened = { ...visible };
  const copies = new Set<object>([opened]);
  const answer = answerText === undefined ? [] : answerProperties(answerData(answerText));
  for (const { path, value: plain, listed = false, watched } of [...hidden, ...answer]) {
    const key = path.at(-1);
    const owner = ownerOf(opened, path.slice(0, -1), copies);
    if (key === undefined || owner === undefined) continue;
    const value = watched && onRead ? watchReads(plain, secrets, onRead) : plain;
    Object.defineProperty(owner, key, { value, enumerable: listed, writable: true, configurable: true });
  }
  return opened;
}

function answerProperties(value: unknown): HiddenProperty[] {
  return [['response'], ['struct', 'data']].map((path) => ({ path, value, listed: true }));
}

/** A copy that tells when a part of it with a secret is read. A part that is written is the hook's own from then on. */
function watchReads(
  value: unknown,
  secrets: Readonly<Record<string, string>>,
  onRead: (secret: string) => void,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const watched = {};
  const define = (key: string, descriptor: PropertyDescriptor) =>
    Object.defineProperty(watched, key, { ...descriptor, enumerable: true, configurable: true });
  for (const [key, item] of Object.entries(value)) {
    const held = secretsIn(item, secrets);
    const get = () => {
      for (const name of held) onRead(name);
      return item;
    };
    const set = (next: unknown) => void define(key, { value: next, writable: true });
    define(key, held.length > 0 ? { get, set } : { value: item, writable: true });
  }
  return watched;
}

function secretsIn(value: unknown, secrets: Readonly<Record<string, string>>): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return Object.keys(secrets).filter(
    (name) => secrets[name] !== undefined && secrets[name] !== '' && text.includes(secrets[name]),
  );
}

/**
 * Watches the `struct` of a hook's argument. Some handlers write to it and return something else, or nothing: the function
 * that this gives tells which of its properties have another value by then, and the messages that were added, also where the
 * list of them is hidden.
 */
export function watchStruct({ struct }: Record<string, unknown>): () => Record<string, unknown> {
  if (typeof struct !== 'object' || struct === null) return () => ({});
  const before: Record<string, unknown> = { ...struct };
  return () => {
    const changed = Object.entries(struct).filter(([key, value]) => key !== 'messages' && value !== before[key]);
    const messages: unknown = Reflect.get(struct, 'messages');
    const isSaid = Array.isArray(messages) ? messages.length > 0 : messages !== before.messages;
    return Object.fromEntries(isSaid ? [...changed, ['messages', messages]] : changed);
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

/** What handlers get for the text of an answer: what `JSON.parse` gives, for which they were written, or else the text. */
export function answerData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
