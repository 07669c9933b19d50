import { checkSelect, exposeSchemaPrompts, exposeSchemas, type Finding, type LoadedSchema } from '@schemakit/core';
import { nearestWord, schemaProblems } from '@schemakit/core/internal';
import type { ReloadableCatalog, ServedTool } from './catalog/tool-catalog.ts';
import { checkOptions, ServerOptionsError } from './check-options.ts';
import { schemaServerRules, serverRules } from './option-rules.ts';
import { type CatalogParts, isReloadable, type ServerOptions } from './shared-server.ts';
import { openServer, type ToolServer } from './tool-server.ts';

/** What a server can be made of: `LoadedSchema` or the `main` of a schema, one or several, tools, or a catalog. */
export type ServerSource =
  | LoadedSchema
  | Readonly<Record<string, unknown>>
  | readonly (LoadedSchema | Readonly<Record<string, unknown>>)[]
  | CatalogParts
  | ReloadableCatalog;

export interface CreateServerOptions extends ServerOptions {
  /** Values of the server parameters of schemas, by name. */
  serverParams?: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates an MCP server for loaded schemas, for tools, prompts and resources of your own, or for a catalog that changes at run time.
 * Schemas that failed to load are skipped and reported to `onError`.
 *
 * @throws {@link ServerOptionsError} with all errors: invalid options, values that are not schemas, and no schema that has loaded.
 * `http` and `stdio` reject with one for an invalid expression in `select`.
 * @example
 * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * const server = createServer(schemas, { serverParams: process.env });
 * const { url, close } = await server.http({ port: 0 });
 * console.log(`${url}/mcp`);
 * await close();
 */
export function createServer(source: ServerSource, options: CreateServerOptions = {}): ToolServer {
  const { serverParams, ...others } = Object(options) as CreateServerOptions;
  if (isCatalog(source)) {
    refuseIf(checkOptions(options, serverRules));
    return checkedServer(source, others);
  }
  const schemas: unknown[] = [source ?? []].flat();
  const { findings, skipped } = checkSchemas(schemas);
  refuseIf([...findings, ...checkOptions(options, schemaServerRules)]);
  const values = Object.entries(serverParams ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const tools = exposeSchemas(schemas, { serverParams: Object.fromEntries(values) });
  const server = checkedServer({ tools, prompts: exposeSchemaPrompts(schemas) }, others);
  for (const { message } of skipped) others.onError?.(new Error(`A schema is skipped: ${message}`));
  return server;
}

function refuseIf(findings: readonly Finding[]): void {
  if (findings.length > 0) throw new ServerOptionsError('createServer', findings);
}

function isCatalog(source: unknown): source is CatalogParts | ReloadableCatalog {
  if (typeof source !== 'object' || source === null) return false;
  if (isReloadable(source)) return true;
  const parts = Object.entries(source).filter(([, part]) => part !== undefined);
  // A schema has more fields, and its tools are an object.
  const isPart = ([name, part]: [string, unknown]) =>
    ['tools', 'prompts', 'resources'].includes(name) && Array.isArray(part);
  return parts.length > 0 && parts.every(isPart);
}

/** A server whose options name only tools that exist, and whose expressions are checked before it starts. */
function checkedServer(source: CatalogParts | ReloadableCatalog, options: ServerOptions): ToolServer {
  if (!isReloadable(source)) refuseIf(checkToolNames(source.tools ?? [], options));
  const server = openServer(source, options);
  const checkSelections = async () => refuseIf(await checkExpressions(options.select));
  return {
    ...server,
    async http(listening) {
      await checkSelections();
      return server.http(listening);
    },
    async stdio() {
      await checkSelections();
      return server.stdio();
    },
  };
}

const hint = 'Pass the result of loadSchema, or the schemas in the result of loadSchemas.';

/** Errors that prevent a server, and those of files that failed to load. */
function checkSchemas(schemas: readonly unknown[]): { findings: Finding[]; skipped: Finding[] } {
  const findings: Finding[] = [];
  const skipped: Finding[] = [];
  let usable = 0;
  for (const [index, schema] of schemas.entries()) {
    const path = `schemas[${index}]`;
    const problems = schemaProblems(schema);
    const { status, schemas: several } = Object(schema) as { status?: unknown; schemas?: unknown };
    if (problems.length === 0) usable += 1;
    else if (Array.isArray(several)) findings.push(wrong(path, `${path} is the result of loadSchemas, not a schema`));
    else if (status === false) skipped.push(...problems);
    else findings.push(...problems.map(({ message }) => wrong(path, `${path} cannot be served: ${message}`)));
  }
  if (schemas.length === 0) findings.push(wrong('schemas', 'there is no schema to serve'));
  else if (usable === 0)
    findings.push(...skipped.map(({ message }) => wrong('schemas', `no schema can be served: ${message}`)));
  return { findings, skipped };
}

function wrong(path: string, message: string): Finding {
  return { code: 'ARG005', severity: 'error', path, message, hint };
}

/** Unknown names of tools in options. */
function checkToolNames(tools: readonly ServedTool[], { select = {}, discovery }: ServerOptions): Finding[] {
  const known = tools.map(({ listing }) => listing.name);
  const pinned = typeof discovery === 'object' ? (discovery.pinned ?? []) : [];
  const named = [
    ...Object.keys(select).map((name) => ['select', name] as const),
    ...pinned.map((name) => ['discovery.pinned', name] as const),
  ];
  return named.flatMap(([path, name]) => {
    if (known.includes(name)) return [];
    const meant = nearestWord(name, known);
    const advice = meant === undefined ? 'Use the names in tools/list.' : `Did you mean ${meant}?`;
    const message = `${path} names the tool ${name}, which does not exist`;
    return { code: 'ARG006', severity: 'error', path, message, hint: advice };
  });
}

/** Invalid expressions. Loads the JMESPath library only if there are expressions. */
async function checkExpressions(select: Readonly<Record<string, string>> = {}): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(select).map(async ([name, expression]) => {
      const findings = await checkSelect(expression);
      return findings.map((finding) => ({ ...finding, message: `select of ${name}: ${finding.message}` }));
    }),
  );
  return found.flat();
}
