import { relative, resolve, sep } from 'node:path';
import type { ImportSource } from '@schemakit/import';

/** A command that describes a request itself; the import refuses those for PowerShell. */
export function isCommand(source: string): boolean {
  return /^\s*(curl\s|\$session\s*=|Invoke-(WebRequest|RestMethod)\b)/i.test(source);
}

/** What `import.json` may say of a source: nothing that may be a credential. */
export function importSource(source: string, folder: string): ImportSource {
  if (isCommand(source)) return { kind: 'curl' };
  if (!/^https?:\/\//i.test(source)) {
    return { kind: 'file', place: relative(resolve(folder), resolve(source)).replaceAll(sep, '/') };
  }
  const place = publicAddress(source);
  const isPartial = new URL(source).href.replace(/#.*$/, '') !== place;
  return { kind: 'address', place, ...(isPartial && { isPartial }) };
}

/** An address without user, password and query, which may have a key. */
export function publicAddress(address: string): string {
  const url = new URL(address);
  return Object.assign(url, { username: '', password: '', search: '', hash: '' }).href;
}
