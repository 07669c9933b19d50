import type { CallOptions } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/request/template-value.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { childPath, type Finding, type Report } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { isObject } from '../schema/json.ts';
import { mainOf, type OneSchema } from '../schema/main-of.ts';
import { createMcpTools, type ExposedTool, type RecordedSchema } from './mcp-tools.ts';
import { createMcpPrompts, type ExposedPrompt, type PromptNames } from './prompts.ts';

/**
 * The MCP tools of loaded schemas, for your own server. Schemas that failed to load are left out.
 *
 * @param options `isolation: 'trusted'` runs the handlers of `{ main, handlers }` in this process. `onFinding` receives warnings: `REF005` for a name that several tools share, and `SECRET_MISSING` for a server
 * parameter that is not in `serverParams`, with the tools whose calls will fail.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const [tool] = exposeSchemas([schema]);
 * const { isError } = await tool.call({ harbour: 'dover' });
 * console.log(tool.listing.name, isError); // tides__getTides undefined
 */
export function exposeSchemas(
  schemas: readonly unknown[] = [],
  {
    serverParams = {},
    isolation,
    onFinding,
  }: { serverParams?: SecretValues; isolation?: 'trusted' | undefined; onFinding?: Report } = {},
): ExposedTool[] {
  const { tools, findings } = createMcpTools(usable(schemas, isolation), { serverParams });
  if (onFinding) for (const finding of [...findings, ...missingSecrets(tools, serverParams)]) onFinding(finding);
  return tools;
}

/**
 * The MCP prompts of loaded schemas: their skills and prompts, with the MCP names of the tools that they mention.
 *
 * @example
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * console.log(exposeSchemaPrompts([schema])); // []
 */
export function exposeSchemaPrompts(schemas: readonly unknown[] = []): ExposedPrompt[] {
  const records = usable(schemas, 'trusted');
  return schemaPrompts(records, createMcpTools(records).tools);
}

function usable(schemas: readonly unknown[], isolation?: 'trusted'): RecordedSchema[] {
  return resolveSchemas({ schemas, isolation, validate: false }).schemas;
}

export type SchemaSource = SchemaUse & (OneSchema | { schemas: readonly object[] });

type SchemaUse = Pick<CallOptions, 'handlerMap' | 'serverParams' | 'isolation'>;

/** A `SchemaSource` as programs in plain JavaScript may pass it. */
interface GivenSchemas extends SchemaUse {
  schema?: unknown;
  main?: unknown;
  schemas?: unknown;
  validate?: boolean | undefined;
}

/** The records of schemas. An unusable schema is an error; with `validate: false` it is left out with a warning. */
export function resolveSchemas({ schema, main, schemas, handlerMap, isolation, validate = true }: GivenSchemas): {
  schemas: RecordedSchema[];
  findings: Finding[];
} {
  const given: { value: unknown; path: string }[] = Array.isArray(schemas)
    ? schemas.map((value, index) => ({ value, path: `schemas[${index}]` }))
    : [];
  const one = main ?? schema;
  if (one !== undefined) given.push({ value: one, path: main === undefined ? 'schema' : 'main' });
  const findings: Finding[] = [];
  if (given.length === 0) findings.push(noSchema);
  const resolved = given.flatMap(({ value, path }): RecordedSchema[] => {
    const result = resolveRecord(value, { handlerMap, isolation });
    if (result.record === undefined) {
      findings.push(...(validate ? result.findings : [leftOut(value, path, result.findings)]));
      return [];
    }
    const plain = mainOf(value);
    const record: SchemaRecord = handlerMap ? { ...result.record, handlerMap } : result.record;
    return isObject(plain) ? [{ main: plain, record }] : [];
  });
  return { schemas: resolved, findings };
}

const noSchema: Finding = {
  code: 'ARG003',
  severity: 'error',
  path: 'schema',
  message: 'schema or schemas is required',
  hint: 'Pass what SchemaKit.loadSchema({ filePath }) returned.',
};

function leftOut(value: unknown, path: string, findings: readonly Finding[]): Finding {
  const name = nameOf(value);
  const reason = findings.map(({ message }) => message).join('; ');
  const message = `${name === undefined ? path : `${path} (${name})`} is left out: ${reason}`;
  return ruleFinding('VAL091', path, message, { severity: 'warning', hint: 'Fix the schema and load it again.' });
}

/** The file or the namespace of a schema; undefined for an object that throws when it is read. */
function nameOf(value: unknown): string | undefined {
  try {
    const { file, main } = Object(value) as { file?: unknown; main?: unknown };
    const { namespace } = Object(main ?? value) as { namespace?: unknown };
    return [file, namespace].find((part): part is string => typeof part === 'string' && part !== '');
  } catch {
    return undefined;
  }
}

/** Why a schema cannot be served: the findings of loading it, or of checking its `main`. Empty if it can. */
export function schemaProblems(schema: unknown): readonly Finding[] {
  return resolveRecord(schema).findings ?? [];
}

const namedTools = 5;

/** A warning for each server parameter without a value, with the tools whose calls will fail. */
export function missingSecrets(
  tools: readonly Pick<ExposedTool, 'requiredServerParams' | 'listing'>[],
  serverParams: SecretValues,
): Finding[] {
  const byName = new Map<string, string[]>();
  for (const { requiredServerParams, listing } of tools)
    for (const name of requiredServerParams)
      if ((serverParams[name] ?? '') === '') byName.set(name, [...(byName.get(name) ?? []), listing.name]);
  return [...byName].map(([name, failing]) => ({
    code: 'SECRET_MISSING',
    severity: 'warning',
    path: childPath('serverParams', name),
    message: `Required server parameter ${name} is not set: calls of ${listed(failing)} will fail`,
    hint: `Pass it in serverParams, or set ${name} in the environment of the server.`,
  }));
}

function listed(names: readonly string[]): string {
  const others = names.length - namedTools;
  return [...names.slice(0, namedTools), ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

/** The MCP prompts of schemas, with the MCP names of the `tools` that they mention. */
export function schemaPrompts(schemas: readonly RecordedSchema[], tools: readonly ExposedTool[]): ExposedPrompt[] {
  const sources = schemas.map(({ record: { schema, prompts, file } }) => ({
    namespace: schema.namespace,
    prompts,
    ...(file !== undefined && { file }),
  }));
  return createMcpPrompts(sources, {
    toolName: namer(tools, ({ toolName }) => toolName),
    resourceName: namer(tools, ({ resource }) => resource?.resourceName),
  });
}

/** Names a tool or a resource in prompts. A resource gets the names of its tools, through which models reach it. */
function namer(
  tools: readonly ExposedTool[],
  nameOf: (tool: ExposedTool) => string | undefined,
): NonNullable<PromptNames['toolName']> {
  const byName = Map.groupBy(tools, (tool) => JSON.stringify([tool.namespace, nameOf(tool)]));
  return (namespace, name, file) => {
    const found = byName.get(JSON.stringify([namespace, name])) ?? [];
    // Several schemas of a namespace may use one name: its own schema takes precedence, then the first by file.
    const [first] = found.map((tool) => tool.file).sort();
    const meant = found.some((tool) => tool.file === file) ? file : first;
    const names = found.filter((tool) => tool.file === meant).map(({ listing }) => listing.name);
    return names.length === 0 ? undefined : names.join(', ');
  };
}
