import type { ExposedSchema, ExposedTool } from './exposed-tool.ts';
import { type ExposedPrompt, type ExposePromptsOptions, exposePrompts } from './prompts.ts';

/**
 * The MCP prompts of schemas, with the names of the tools that they speak of filled in.
 *
 * @param tools those of the schemas, under the names that clients know
 */
export function schemaPrompts(schemas: readonly ExposedSchema[], tools: readonly ExposedTool[]): ExposedPrompt[] {
  const sources = schemas.map(({ record: { schema, prompts, file } }) => ({
    namespace: schema.namespace,
    prompts,
    ...(file !== undefined && { file }),
  }));
  return exposePrompts(sources, {
    toolName: namer(tools, ({ toolName }) => toolName),
    resourceName: namer(tools, ({ resource }) => resource?.resourceName),
  });
}

/** What prompts call a tool or a resource: models reach a resource through its tools, so those of its queries stand for it. */
function namer(
  tools: readonly ExposedTool[],
  nameOf: (tool: ExposedTool) => string | undefined,
): NonNullable<ExposePromptsOptions['toolName']> {
  const byName = Map.groupBy(tools, (tool) => JSON.stringify([tool.namespace, nameOf(tool)]));
  return (namespace, name, file) => {
    const found = byName.get(JSON.stringify([namespace, name])) ?? [];
    // Several schemas of a namespace may use one name: a prompt means its own schema's, or else the first by file.
    const [first] = found.map((tool) => tool.file).sort();
    const meant = found.some((tool) => tool.file === file) ? file : first;
    const names = found.filter((tool) => tool.file === meant).map(({ listing }) => listing.name);
    return names.length === 0 ? undefined : names.join(', ');
  };
}
