import { exposeSchemas, type LoadedSchema, toolNames } from '@schemakit/core';
import { describeParameters } from '../tools/describe-parameters.ts';
import type { IndexedSchema, IndexedTool } from './indexed-tool.ts';
import { listWords } from './list-words.ts';
import type { FoundFile } from './scan-folders.ts';

/** One row of the index. */
export interface ToolDescription {
  /** Without `name`, which depends on all other tools. */
  tool: Omit<IndexedTool, 'name'>;
  /** `<namespace>_<toolName>`. */
  cli: string;
  /** Words by which the shared lists that it takes values from are known. */
  lists: readonly string[];
}

/** What the index says about a schema file. */
export interface SchemaDescription {
  schema: IndexedSchema;
  tools: readonly ToolDescription[];
  /** Whether what was read depends on files beside the schema's own: lists, skills, or one that may be missing. */
  isDependent: boolean;
}

/** Describes a loaded schema: its tools, the queries and documents of its resources, its skills and prompts. */
export function describeSchema(loaded: LoadedSchema, { source, place, path }: FoundFile): SchemaDescription {
  const { status, findings, sharedLists, prompts } = loaded;
  const main = loaded.main ?? {};
  const about = {
    namespace: text(main.namespace),
    tags: texts(main.tags),
    requiredServerParams: texts(main.requiredServerParams).map((name) => name.replace(/^SERVER_PARAM:/, '').trim()),
  };
  const schema = {
    ...about,
    ...{ source, file: place, path, status },
    findings: findings.filter(({ severity }) => severity === 'error'),
    name: text(main.name),
    description: text(main.description),
    version: text(main.version),
  };
  const common = { ...about, schemaName: schema.name, source, file: place, path };
  const tools = status
    ? [...describeTools(loaded, common), ...prompts.map((prompt) => describePrompt(prompt, common))]
    : [];
  return {
    schema: { ...schema, tools: tools.map(({ tool: { type, toolName } }) => ({ type, toolName })) },
    tools,
    isDependent: !status || prompts.length > 0 || Object.keys(sharedLists).length > 0,
  };
}

type Common = Pick<
  IndexedTool,
  'namespace' | 'tags' | 'requiredServerParams' | 'schemaName' | 'source' | 'file' | 'path'
>;

function describeTools(loaded: LoadedSchema, common: Common): ToolDescription[] {
  const { main, sharedLists } = loaded;
  const definitions = record(main?.tools ?? main?.routes);
  return exposeSchemas([loaded]).map((exposed) => {
    const { toolName, listing, resource } = exposed;
    const type = resource === undefined ? 'tool' : 'resource';
    const definition = resource === undefined ? definitions[toolName] : record(main?.resources)[resource.resourceName];
    return {
      tool: {
        ...namesOf(type, toolName, common),
        ...common,
        part: resource?.resourceName ?? toolName,
        requiredServerParams: type === 'tool' ? common.requiredServerParams : [],
        description: listing.description,
        parameters: describeParameters(exposed),
      },
      cli: toolNames({ namespace: common.namespace, toolName }).cli,
      lists: listWords(definition, sharedLists),
    };
  });
}

function describePrompt(prompt: LoadedSchema['prompts'][number], common: Common): ToolDescription {
  const { kind: type, name, description, arguments: parameters } = prompt;
  return {
    tool: {
      ...namesOf(type, name, common),
      ...common,
      part: name,
      requiredServerParams: [],
      description,
      parameters: Object.fromEntries(
        parameters.map(({ name: key, type, required, values, description }) => [
          key,
          {
            ...{ type, required },
            ...(type === 'enum' && values && { values }),
            ...(description !== undefined && { description }),
          },
        ]),
      ),
    },
    cli: toolNames({ namespace: common.namespace, toolName: name }).cli,
    lists: [],
  };
}

function namesOf(
  type: IndexedTool['type'],
  toolName: string,
  { namespace, file }: Common,
): Pick<IndexedTool, 'type' | 'mcpName' | 'reference' | 'toolName'> {
  const { mcp: mcpName } = toolNames({ namespace, toolName });
  return { type, mcpName, reference: `${file}::${type}::${toolName}`, toolName };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
