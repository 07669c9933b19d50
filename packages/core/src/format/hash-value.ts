import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * sha256 of a value's canonical JSON (RFC 8785) as `sha256:<hex>`: the order of keys does not matter. Throws where JSON
 * cannot carry the value.
 */
export function hashValue(value: unknown): string {
  return `sha256:${createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')}`;
}
