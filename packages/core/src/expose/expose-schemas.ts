import type { SecretValues } from '../call/plan-request.ts';
import { isObject } from '../format/json.ts';
import { mainOf, resolveRecord } from '../load/resolve-record.ts';
import { type ExposedTool, exposeTools } from './exposed-tool.ts';

/** The MCP tools of loaded schemas, for a server of one's own. Schemas that did not load are left out. */
export function exposeSchemas(
  schemas: readonly unknown[] = [],
  options: { serverParams?: SecretValues } = {},
): ExposedTool[] {
  const usable = schemas.flatMap((schema) => {
    const { record } = resolveRecord(schema);
    const main = mainOf(schema);
    return record && isObject(main) ? [{ main, record }] : [];
  });
  return exposeTools(usable, options);
}
