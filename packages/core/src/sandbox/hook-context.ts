/** The hooks of format 3, and those of format 2. */
export type HookName = 'preRequest' | 'executeRequest' | 'postRequest' | 'preProcess' | 'postProcess';

export const hookNames: readonly HookName[] = [
  'preRequest',
  'executeRequest',
  'postRequest',
  'preProcess',
  'postProcess',
];

/** Whether a hook runs before the request, which its `struct` describes. */
export function isBeforeRequest(hook: string): boolean {
  return hook === 'preRequest' || hook === 'preProcess';
}

/** The argument of a hook, as data. */
export interface HookContext {
  /** Enumerable properties. */
  visible: Record<string, unknown>;
  /** Tokens that stand for secrets, by the name of the secret. */
  secrets?: Readonly<Record<string, string>>;
  /**
   * Non-enumerable properties, which a hook that copies or serializes its argument does not carry along, such as
   * `{ path: ['struct', 'serverParams'], value }`. Skipped if the parent is not an object. `listed` makes a property enumerable,
   * `watched` reports reads of its parts that contain a token.
   */
  hidden: readonly HiddenProperty[];
  /** Response of the API as text, for `response` and `struct.data`. Sending and parsing text takes half the time of a copy. */
  answerText?: string;
}

interface HiddenProperty {
  path: readonly string[];
  value: unknown;
  listed?: boolean;
  watched?: boolean;
}

/** Builds the argument of a hook without changing `context`. `onRead` gets the name of each secret whose token is read. */
export function buildContext(
  { visible, secrets = {}, hidden, answerText }: HookContext,
  onRead?: (secret: string) => void,
): Record<string, unknown> {
  const argument = { ...visible };
  const copies = new Set<object>([argument]);
  const answer = answerText === undefined ? [] : answerProperties(answerData(answerText));
  for (const { path, value: plain, listed = false, watched } of [...hidden, ...answer]) {
    const key = path.at(-1);
    const owner = ownerOf(argument, path.slice(0, -1), copies);
    if (key === undefined || owner === undefined) continue;
    const value = watched && onRead ? watchReads(plain, secrets, onRead) : plain;
    Object.defineProperty(owner, key, { value, enumerable: listed, writable: true, configurable: true });
  }
  return argument;
}

function answerProperties(value: unknown): HiddenProperty[] {
  return [['response'], ['struct', 'data']].map((path) => ({ path, value, listed: true }));
}

/** A copy that reports reads of parts with a token. A part that the hook has written is its own. */
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
  return Object.keys(secrets).filter((name) => secrets[name] && text.includes(secrets[name]));
}

/**
 * Tracks changes to the `struct` of a hook's argument, since some handlers write to it and return something else or nothing. The
 * returned function gives the properties whose value has changed, and the messages that were added, even to a hidden list.
 */
export function trackStruct({ struct }: Record<string, unknown>): () => Record<string, unknown> {
  if (typeof struct !== 'object' || struct === null) return () => ({});
  const before: Record<string, unknown> = { ...struct };
  return () => {
    const changed = Object.entries(struct).filter(([key, value]) => key !== 'messages' && value !== before[key]);
    const messages: unknown = Reflect.get(struct, 'messages');
    const hasMessages = Array.isArray(messages) ? messages.length > 0 : messages !== before.messages;
    return Object.fromEntries(hasMessages ? [...changed, ['messages', messages]] : changed);
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

/** The text of a response as handlers get it: parsed if it is JSON. */
export function answerData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
