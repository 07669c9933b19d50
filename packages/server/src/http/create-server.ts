import {
  checkSelect,
  exposeSchemaPrompts,
  exposeSchemas,
  type Finding,
  nearestWord,
  schemaProblems,
} from '@schemakit/core';
import type { ServedTool } from '../catalog/offer.ts';
import { checkOptions, ServerOptionsError } from '../options/check-options.ts';
import { schemaServerRules } from '../options/option-rules.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from './create-http-server.ts';

export interface CreateServerOptions
  extends Omit<HttpServerOptions, 'tools' | 'prompts' | 'offer' | 'name' | 'version'> {
  /** Values of the server parameters by name. */
  serverParams?: Readonly<Record<string, string | undefined>>;
  /** Default `schemakit`. */
  name?: string;
  /** Default `1.0.0`. */
  version?: string;
}

const method = 'createServer';

/**
 * An MCP server over HTTP for loaded schemas. Files that did not load are left out, and `onError` is told what is wrong with them.
 *
 * @throws {@link ServerOptionsError} with all that is wrong: options that do not fit, something else than schemas, and where no
 * schema has loaded. `listen` rejects with one where an expression of `select` is none.
 * @example
 * const { schemas } = await loadSchemas({ paths: ['./schemas'] });
 * const server = createServer(schemas, { serverParams: process.env });
 * const { url } = await server.listen({ port: 3000 });
 */
export function createServer(schemas: unknown, options: CreateServerOptions = {}): HttpServer {
  const all: unknown[] = [schemas ?? []].flat();
  const wrong = checkOptions(method, options, schemaServerRules);
  const { findings, leftOut } = checkSchemas(all);
  if (wrong.length + findings.length > 0) throw new ServerOptionsError(method, [...findings, ...wrong]);
  const { serverParams = {}, name = 'schemakit', version = '1.0.0', groups, ...others } = options;
  const values = Object.entries(serverParams).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const tools = exposeSchemas(all, { serverParams: Object.fromEntries(values) });
  const unknown = checkToolNames(tools, others);
  if (unknown.length > 0) throw new ServerOptionsError(method, unknown);
  for (const { message } of leftOut) others.onError?.(new Error(`A schema is left out: ${message}`));
  const server = createHttpServer({
    tools,
    prompts: exposeSchemaPrompts(all),
    name,
    version,
    // Names may be given by something that gives them once.
    ...(groups && { groups: new Map(Array.from(groups, ([group, names]) => [group, new Set(names)] as const)) }),
    ...others,
  });
  return {
    ...server,
    async listen(at) {
      const broken = await checkExpressions(others.select);
      if (broken.length > 0) throw new ServerOptionsError(method, broken);
      return server.listen(at);
    },
  };
}

/** What is wrong with schemas that are to be served. */
interface SchemasCheck {
  /** Errors over which there can be no server. */
  findings: Finding[];
  /** What was found in files that did not load; the others are served without them. */
  leftOut: Finding[];
}

const hint = 'Pass what loadSchema gave, or the schemas of what loadSchemas gave.';

function checkSchemas(schemas: readonly unknown[]): SchemasCheck {
  const findings: Finding[] = [];
  const leftOut: Finding[] = [];
  let usable = 0;
  for (const [index, schema] of schemas.entries()) {
    const path = `schemas[${index}]`;
    const problems = schemaProblems(schema);
    const { status, schemas: several } = Object(schema) as { status?: unknown; schemas?: unknown };
    if (problems.length === 0) usable += 1;
    else if (Array.isArray(several)) findings.push(refused(path, `${path} is what loadSchemas gave, and not a schema`));
    else if (status === false) leftOut.push(...problems);
    else findings.push(...problems.map(({ message }) => refused(path, `${path} cannot be served: ${message}`)));
  }
  if (schemas.length === 0) findings.push(refused('schemas', 'there is no schema to serve'));
  else if (usable === 0)
    findings.push(...leftOut.map(({ message }) => refused('schemas', `none can be served: ${message}`)));
  return { findings, leftOut };
}

function refused(path: string, message: string): Finding {
  return { code: 'ARG005', severity: 'error', path, message, hint };
}

/** Names of tools in options that no tool has. */
function checkToolNames(
  tools: readonly ServedTool[],
  { select = {}, discovery }: { select?: object; discovery?: boolean | { pinned?: readonly string[] } },
): Finding[] {
  const known = tools.map(({ listing }) => listing.name);
  const pinned = typeof discovery === 'object' ? (discovery.pinned ?? []) : [];
  const named = [
    ...Object.keys(select).map((name) => ['select', name] as const),
    ...pinned.map((name) => ['discovery.pinned', name] as const),
  ];
  return named.flatMap(([path, name]) => {
    if (known.includes(name)) return [];
    const meant = nearestWord(name, known);
    const advice = meant === undefined ? 'Use the names that tools/list gives.' : `Did you mean ${meant}?`;
    return {
      code: 'ARG006',
      severity: 'error',
      path,
      message: `${path} names a tool ${name}, and there is none`,
      hint: advice,
    };
  });
}

/** Expressions of `select` that are none. The library that reads them is not loaded where there are none. */
async function checkExpressions(select: Readonly<Record<string, string>> = {}): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(select).map(async ([name, expression]) =>
      (await checkSelect(expression)).map((finding) => ({
        ...finding,
        message: `select of ${name}: ${finding.message}`,
      })),
    ),
  );
  return found.flat();
}
