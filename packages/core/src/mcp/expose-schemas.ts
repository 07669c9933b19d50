import type { SecretValues } from '../call/plan-request.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import { childPath, type Finding, type Report } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { isObject } from '../schema/json.ts';
import { mainOf, type OneSchema } from '../schema/main-of.ts';
import { type ExposedSchema, type ExposedTool, exposeToolSet, exposeTools } from './exposed-tool.ts';
import { type ExposedPrompt, type ExposePromptsOptions, exposePrompts } from './prompts.ts';

/**
 * The MCP tools of loaded schemas, for a server of one's own. Schemas that did not load are left out.
 *
 * @param options `isolation: 'trusted'` runs the handlers of `{ main, handlers }` in this process. `onFinding` takes warnings: `REF005` for a name that several tools would have, and `SECRET_MISSING` for a server
 * parameter that is not in `serverParams`, with the tools whose calls will fail.
 */
export function exposeSchemas(
  schemas: readonly unknown[] = [],
  {
    serverParams = {},
    isolation,
    onFinding,
  }: { serverParams?: SecretValues; isolation?: 'trusted' | undefined; onFinding?: Report } = {},
): ExposedTool[] {
  const { tools, findings } = exposeToolSet(usable(schemas, isolation), { serverParams });
  if (onFinding) for (const finding of [...findings, ...missingSecrets(tools, serverParams)]) onFinding(finding);
  return tools;
}

/** The MCP prompts of loaded schemas: their skills and prompts, with the names of the tools that they speak of filled in. */
export function exposeSchemaPrompts(schemas: readonly unknown[] = []): ExposedPrompt[] {
  const records = usable(schemas, 'trusted');
  return schemaPrompts(records, exposeTools(records));
}

function usable(schemas: readonly unknown[], isolation?: 'trusted'): ExposedSchema[] {
  return schemas.flatMap((schema) => {
    const { record } = resolveRecord(schema, { isolation });
    const main = mainOf(schema);
    return record && isObject(main) ? [{ main, record }] : [];
  });
}

/** The schemas to work with: one, or several. */
export type SchemaSource = SchemaUse & (OneSchema | { schemas: readonly object[] });

interface SchemaUse {
  /** Hooks by tool. Default: those that were loaded with the schema. */
  handlerMap?: HandlerMap | undefined;
  /** Values of the server parameters by name. */
  serverParams?: SecretValues | undefined;
  /** `'trusted'` runs the handlers of `{ main, handlers }` in this process, with all that it may do. Default: they are refused. */
  isolation?: 'trusted' | undefined;
}

/** What a program may have passed as a `SchemaSource`. */
interface GivenSchemas extends SchemaUse {
  schema?: unknown;
  main?: unknown;
  schemas?: unknown;
  validate?: boolean | undefined;
}

/**
 * The records of schemas. One that is not usable is an error; with `validate: false` it is left out, with a warning that
 * says which it was.
 */
export function resolveSchemas({ schema, main, schemas, handlerMap, isolation, validate = true }: GivenSchemas): {
  schemas: ExposedSchema[];
  findings: Finding[];
} {
  const one = main ?? schema;
  const several = Array.isArray(schemas) ? schemas : [];
  const given = [
    ...several.map((value, index) => ({ value, path: `schemas[${index}]` })),
    ...(one === undefined ? [] : [{ value: one, path: main === undefined ? 'schema' : 'main' }]),
  ];
  const findings: Finding[] = [];
  if (given.length === 0) findings.push(noSchema);
  const resolved = given.flatMap(({ value, path }): ExposedSchema[] => {
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
  const { file, main } = Object(value) as { file?: unknown; main?: unknown };
  const { namespace } = Object(main ?? value) as { namespace?: unknown };
  const name = [file, namespace].find((part) => typeof part === 'string' && part !== '');
  const reason = findings.map(({ message }) => message).join('; ');
  const message = `${name === undefined ? path : `${path} (${name})`} is left out: ${reason}`;
  return ruleFinding('VAL091', path, message, { severity: 'warning', hint: 'Mend it, and load it again.' });
}

/** Why a schema cannot be served: what loading it found, or what is wrong with a `main`. Empty for one that can. */
export function schemaProblems(schema: unknown): readonly Finding[] {
  return resolveRecord(schema).findings ?? [];
}

/** Enough to see which schemas are meant. */
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
