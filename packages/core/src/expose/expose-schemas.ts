import type { SecretValues } from '../call/plan-request.ts';
import { isObject } from '../format/json.ts';
import { mainOf } from '../format/main-of.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import { type ExposedSchema, type ExposedTool, exposeTools } from './exposed-tool.ts';
import { type ExposedPrompt, exposePrompts } from './prompts.ts';

/** The MCP tools of loaded schemas, for a server of one's own. Schemas that did not load are left out. */
export function exposeSchemas(
  schemas: readonly unknown[] = [],
  options: { serverParams?: SecretValues } = {},
): ExposedTool[] {
  return exposeTools(usable(schemas), options);
}

/** The MCP prompts of loaded schemas: their skills and prompts, with the names of the tools that they speak of filled in. */
export function exposeSchemaPrompts(schemas: readonly unknown[] = []): ExposedPrompt[] {
  const records = usable(schemas);
  const names = new Map(
    exposeTools(records).map(({ namespace, toolName, listing }) => [`${namespace}/${toolName}`, listing.name]),
  );
  const sources = records.map(({ record: { schema, prompts, file } }) => ({
    namespace: schema.namespace,
    prompts,
    ...(file !== undefined && { file }),
  }));
  const nameOf = (namespace: string, name: string) => names.get(`${namespace}/${name}`);
  return exposePrompts(sources, { toolName: nameOf, resourceName: nameOf });
}

function usable(schemas: readonly unknown[]): ExposedSchema[] {
  return schemas.flatMap((schema) => {
    const { record } = resolveRecord(schema);
    const main = mainOf(schema);
    return record && isObject(main) ? [{ main, record }] : [];
  });
}
