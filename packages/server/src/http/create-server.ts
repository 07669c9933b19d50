import { exposeSchemaPrompts, exposeSchemas } from '@schemakit/core';
import { checkOptions } from '../options/check-options.ts';
import { httpRules } from '../options/http-option-rules.ts';
import { isObject, type OptionRule } from '../options/option-rules.ts';
import { ServerOptionsError } from '../options/options-error.ts';
import { checkExpressions, checkSchemas, checkToolNames } from './check-served.ts';
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

const serverParamsRule: OptionRule = {
  expected: 'an object of text by name',
  fits: (value) =>
    isObject(value) && Object.values(value).every((part) => part === undefined || typeof part === 'string'),
  hint: 'Such as process.env.',
};

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
  const wrong = checkOptions(method, options, { rules: { ...httpRules, serverParams: serverParamsRule } });
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
