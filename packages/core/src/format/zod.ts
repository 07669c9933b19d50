import { createRequire } from 'node:module';
import type { z } from 'zod';

const require = createRequire(import.meta.url);

/**
 * Zod, loaded when it is first needed. It takes as long to load as all the rest of this package, and only programs that put tools
 * on an MCP server of their own, or validate with Zod, need it. Schemas of another copy of Zod 4 work together with these.
 */
export function zod(): typeof z {
  loaded ??= (require('zod') as { z: typeof z }).z;
  return loaded;
}

let loaded: typeof z | undefined;
