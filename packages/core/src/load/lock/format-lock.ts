import { isObject } from '../../format/json.ts';
import { type Lock, lockVersion } from './lock.ts';

/** The text of a lock file. The same entries give the same text: keys and names are sorted. */
export function formatLock({ schemas }: Lock): string {
  return `${JSON.stringify(sortKeys({ lockVersion, schemas: Object.fromEntries(schemas) }), null, 2)}\n`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}
