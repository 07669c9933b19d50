import { createOriginMatcher } from '@schemakit/http';

/** Whether a value is an origin that can be granted: `https://host[:port]`, where a label of the host may be `*`. */
export function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    createOriginMatcher([value]);
    return true;
  } catch {
    return false; // It throws for what is no origin.
  }
}
