import { dirname } from 'node:path';
import type { Finding } from '../format/finding.ts';
import type { Schema } from '../format/schema.ts';
import { trustedHandlers } from '../handlers/trusted-handlers.ts';
import type { AttachedHandlers } from './attach-handlers.ts';
import { loadLibraries } from './libraries.ts';
import type { SharedLists } from './lists/shared-lists.ts';

/**
 * Attaches handlers that run in this process, with all that it may do. For libraries that are native or do not live in the
 * sandbox, and only for the very bytes whose hash was pinned.
 */
export async function attachTrusted({
  schema,
  file,
  bytes,
  pin,
  allowlist,
  sharedLists,
  add,
}: {
  schema: Schema;
  file: string;
  bytes: Uint8Array;
  /** `sha256:` and 64 hexadecimal digits. */
  pin: string | undefined;
  allowlist: readonly string[];
  sharedLists: SharedLists;
  add: (finding: Finding) => void;
}): Promise<AttachedHandlers> {
  const none: AttachedHandlers = { handlerMap: {}, rowsHooks: {} };
  const { requiredLibraries, namespace } = schema;
  const loaded = await loadLibraries({ requiredLibraries, allowlist, folder: dirname(file) });
  loaded.findings.forEach(add);
  if (!loaded.status) return none;
  const trusted = await trustedHandlers({ file, bytes, pin, namespace, sharedLists, libraries: loaded.libraries });
  if (!trusted.ok) {
    const { code, message, hint } = trusted.failure;
    add({ code, severity: 'error', path: 'handlers', message, ...(hint !== undefined && { hint }) });
    return none;
  }
  const { hooks } = trusted;
  const tools = Object.entries(hooks).filter(([name]) => schema.tools.has(name));
  const queries = [...schema.resources.values()].map(({ name, queries: known }) => {
    const run = [...known.keys()].flatMap((query) => {
      const hook = hooks[`${name}.${query}`]?.postRequest;
      return hook ? [[query, hook] as const] : [];
    });
    return [name, Object.fromEntries(run)] as const;
  });
  return { handlerMap: Object.fromEntries(tools), rowsHooks: Object.fromEntries(queries) };
}
