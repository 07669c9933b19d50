import type { SecretValues } from '../call/plan-request.ts';
import type { Report } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { mainOf } from '../format/main-of.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import { type ExposedSchema, type ExposedTool, exposeToolSet, exposeTools } from './exposed-tool.ts';
import { missingSecrets } from './missing-secrets.ts';
import type { ExposedPrompt } from './prompts.ts';
import { schemaPrompts } from './schema-prompts.ts';

/**
 * The MCP tools of loaded schemas, for a server of one's own. Schemas that did not load are left out.
 *
 * @param options `onFinding` takes warnings: `REF005` for a name that several tools would have, and `SECRET_MISSING` for a server
 * parameter that is not in `serverParams`, with the tools whose calls will fail.
 */
export function exposeSchemas(
  schemas: readonly unknown[] = [],
  { serverParams = {}, onFinding }: { serverParams?: SecretValues; onFinding?: Report } = {},
): ExposedTool[] {
  const { tools, findings } = exposeToolSet(usable(schemas), { serverParams });
  if (onFinding) for (const finding of [...findings, ...missingSecrets(tools, serverParams)]) onFinding(finding);
  return tools;
}

/** The MCP prompts of loaded schemas: their skills and prompts, with the names of the tools that they speak of filled in. */
export function exposeSchemaPrompts(schemas: readonly unknown[] = []): ExposedPrompt[] {
  const records = usable(schemas);
  return schemaPrompts(records, exposeTools(records));
}

function usable(schemas: readonly unknown[]): ExposedSchema[] {
  return schemas.flatMap((schema) => {
    const { record } = resolveRecord(schema);
    const main = mainOf(schema);
    return record && isObject(main) ? [{ main, record }] : [];
  });
}
