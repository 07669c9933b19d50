import { Buffer } from 'node:buffer';
import { send } from './link.ts';
import { findTask, taskInProgress } from './tasks.ts';

/**
 * Tells our process what a task does with secrets, each use of each secret once.
 *
 * @param seen - What the task sees in the place of secrets, by name.
 * @returns what is to be told the names of secrets that are read.
 */
export function openSecrets(id: number, seen: Readonly<Record<string, string>> = {}): (name: string) => void {
  const told = new Set<string>();
  const tell = (use: 'read' | 'computed') => (name: string) => {
    if (told.has(`${use} ${name}`)) return;
    told.add(`${use} ${name}`);
    send({ type: 'secret', id, use, name });
  };
  const task = findTask(id);
  if (task !== undefined && Object.keys(seen).length > 0) task.secrets = { seen, onComputed: tell('computed') };
  return tell('read');
}

/**
 * Functions that compute: before each call, a secret among its arguments is told. What comes out of a hash or a signature
 * shows no more what went in, so this is the only place where it can be known.
 */
export function watchInputs(functions: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(functions).map(([name, value]): [string, unknown] => {
    if (typeof value !== 'function') return [name, value];
    return [
      name,
      (...args: unknown[]) => {
        tellSecretsIn(args);
        return Reflect.apply(value, functions, args);
      },
    ];
  });
  return Object.fromEntries(entries);
}

function tellSecretsIn(args: readonly unknown[]): void {
  const secrets = taskInProgress()?.secrets;
  if (secrets === undefined) return;
  for (const [name, text] of Object.entries(secrets.seen)) {
    if (text !== '' && args.some((arg) => holds(arg, text))) secrets.onComputed(name);
  }
}

/** Looks at text, at bytes, and at the parts of a plain object such as `{ key, passphrase }`. */
function holds(value: unknown, text: string, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (typeof value !== 'object' || value === null) return false;
  const bytes = bytesOf(value);
  // Many APIs give out keys as base64, and a handler decodes what it takes for one.
  if (bytes !== undefined) return bytes.includes(text) || bytes.includes(Buffer.from(text, 'base64'));
  return depth === 0 && Object.values(value).some((part) => holds(part, text, 1));
}

function bytesOf(value: object): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}
