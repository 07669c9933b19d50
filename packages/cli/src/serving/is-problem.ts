import type { Finding } from '@schemakit/core';

/** Tools that took another name than their own would be looked for in vain, and calls without their secrets fail. */
const others = new Set(['REF005', 'SECRET_MISSING']);

/** Whether the user of a server has to know of a finding. Other warnings are for authors of schemas. */
export function isProblem({ severity, code }: Finding): boolean {
  return severity === 'error' || others.has(code);
}
