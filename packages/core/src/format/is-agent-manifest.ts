import { isObject } from './json.ts';

/** Tells an agent manifest (specification 2.8) by its version, `schemakit/3.0.0` or the older `flowmcp/3.0.0`. Some export theirs as `main`. */
export function isAgentManifest(value: unknown): boolean {
  return isObject(value) && typeof value.version === 'string' && /^(schemakit|flowmcp)\//.test(value.version);
}
