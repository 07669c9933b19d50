import { isBinaryType, stringifyData } from '../call/answer.ts';
import type { CacheUse } from '../call/answer-cache.ts';
import type { CallContext, UpstreamUse } from '../call/call-context.ts';
import { serverParamsOf } from '../call/callable-tool.ts';
import { callLoaded } from '../call/fetch-tool.ts';
import type { PagesRead } from '../call/gather-pages.ts';
import type { SecretValues } from '../call/request/template-value.ts';
import { type ResourceRoute, resourceRoutes } from '../call/resource-routes.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { documentInputs, documentMediaType } from '../resources/read-document.ts';
import type { Finding } from '../schema/finding.ts';
import { inputsJsonSchema } from '../schema/input/input-json-schema.ts';
import type { JsonObject } from '../schema/json.ts';
import { mcpToolName, nameTools } from '../schema/references/tool-names.ts';
import type { Input, Tool } from '../schema/schema.ts';
import { createMcpResource, type McpResource } from './mcp-resource.ts';
import { nameResources, type ResourcePart, type ResourcePlace } from './resource-uri.ts';
import { selectData } from './select-data.ts';
import {
  type AnswerOptions,
  answerShaper,
  outputJsonSchema,
  type ToolOutcome,
  type ToolResult,
  toolResult,
} from './tool-result.ts';

/** Hints for clients about the effects of a tool (MCP specification, ToolAnnotations). */
export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  /** Absent if it is not known, which MCP clients take for true. */
  destructiveHint?: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The entry of a tool in `tools/list`. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: ToolAnnotations;
}

/** A tool of a schema as an MCP tool. */
export interface ExposedTool {
  listing: ToolListing;
  /** Other names that calls may use, such as `…_freeQuery` for `…_runSql`. */
  aliases: readonly string[];
  namespace: string;
  /** The tags of its schema. */
  tags: readonly string[];
  toolName: string;
  /** The schema's file, if it has one. */
  file?: string;
  inputs: readonly Input[];
  /** Names of the server parameters that its calls need. */
  requiredServerParams: readonly string[];
  /** The request header for `idempotencyKey` of a call, if its API has one. */
  idempotencyHeader?: string;
  /** Whether it returns bytes, such as an image, so that no part can be selected. */
  isBinary?: boolean;
  /** A query or a document is also a resource, for `resources/read`. */
  resource?: McpResource;
  /** Calls the tool with a client's arguments. Never throws: a failed call is a result with `isError`. */
  call(args: unknown, options?: CallContext & AnswerOptions): Promise<ToolResult>;
}

export interface RecordedSchema {
  main: Record<string, unknown>;
  record: SchemaRecord;
}

/** The outcome of a call, and how it was obtained. */
type TracedOutcome = ToolOutcome & { cache?: CacheUse; upstream?: UpstreamUse; pages?: PagesRead };

/** A tool of a schema, a query of a database, or a document, which becomes an MCP tool. */
interface ToolSource extends Omit<ExposedTool, 'listing' | 'aliases' | 'resource' | 'call'> {
  /** Other names for `toolName`. */
  aliases?: readonly string[];
  description: string;
  outputSchema?: JsonObject | undefined;
  annotations: Omit<ToolAnnotations, 'title'> & { title?: string };
  /** Only for queries and documents. */
  part?: ResourcePart & { mimeType: string };
  run(args: unknown, context: CallContext): Promise<TracedOutcome>;
}

/**
 * The MCP tools of schemas, in the order of the schemas: the tools of each, then the queries and documents of its resources.
 * Names and addresses are unique; if the files are known, they do not depend on the order. Each name that several tools share
 * gives a warning.
 */
export function createMcpTools(
  schemas: readonly RecordedSchema[],
  { serverParams = {} }: { serverParams?: SecretValues } = {},
): { tools: ExposedTool[]; findings: Finding[] } {
  const sources = schemas.flatMap(({ main, record }) => {
    // Copied first: `filter` of a program's own array class could return anything.
    const tags = Array.isArray(main.tags) ? [...main.tags].filter((tag): tag is string => typeof tag === 'string') : [];
    const { file } = record;
    const own = { namespace: record.schema.namespace, tags, ...(file !== undefined && { file }) };
    const tools = [...record.schema.tools.values()].map((tool) => schemaTool({ main, record }, tool, serverParams));
    return [...tools, ...resourceTools(record)].map((source): ToolSource => ({ ...own, ...source }));
  });
  const uris = nameResources(sources.flatMap(({ part }) => part ?? []));
  const { named, findings } = nameTools(sources);
  const tools = named.map(({ tool, names }) => createTool(tool, names.mcp, tool.part && uris.get(tool.part)));
  return { tools, findings };
}

function schemaTool({ main, record }: RecordedSchema, tool: Tool, serverParams: SecretValues): PartialSource {
  const { handlerMap, schema } = record;
  const loaded = { record, tool, main, handlerMap, serverParams };
  return {
    toolName: tool.name,
    description: tool.description,
    inputs: tool.inputs,
    requiredServerParams: serverParamsOf(schema, tool),
    outputSchema: outputJsonSchema(tool.output?.schema),
    ...(tool.output && isBinaryType(tool.output.mimeType, tool) && { isBinary: true }),
    ...(tool.idempotencyHeader !== undefined && { idempotencyHeader: tool.idempotencyHeader }),
    annotations: annotationsOf(tool),
    async run(userParams, context) {
      const result = await callLoaded(loaded, userParams, context);
      const { mimeType, data } = result;
      const isBody = mimeType !== undefined && typeof data === 'string' && isBinaryType(mimeType, tool);
      return isBody ? { ...result, binary: mimeType } : result;
    },
  };
}

type PartialSource = Omit<ToolSource, 'namespace' | 'tags' | 'file'>;

function createTool(source: ToolSource, name: string, uri = ''): ExposedTool {
  const { description, outputSchema, annotations, run, part, aliases = [], ...about } = source;
  const { namespace, toolName, inputs } = about;
  const { title = titleOf(toolName) } = annotations;
  const shape = outputSchema && answerShaper(outputSchema);
  const listing: ToolListing = {
    name,
    title,
    description,
    inputSchema: inputsJsonSchema(inputs),
    ...(outputSchema && { outputSchema }),
    annotations: { title, ...annotations },
  };
  // A tool that lost its name to another one loses its aliases too.
  const ownAliases = name === mcpToolName(namespace, toolName) ? aliases : [];
  return {
    ...about,
    listing,
    aliases: ownAliases.map((alias) => mcpToolName(namespace, alias)),
    ...(part && {
      resource: createMcpResource(
        { ...source, resourceName: part.place.name, isDocument: part.query === undefined, mimeType: part.mimeType },
        { uri, name, title },
      ),
    }),
    async call(args = {}, options = {}) {
      const outcome = await run(args, options);
      const { select } = options;
      const selected = select === undefined ? outcome : await selectPart(outcome, select);
      return withUpstreamMeta(toolResult(selected, shape, options), outcome);
    },
  };
}

/**
 * The annotations that follow from the method (RFC 9110, 9.2), and those of the author in their place. POST and PATCH may or may not
 * destroy something, so `destructiveHint` is left out.
 */
function annotationsOf({ method, annotations = {} }: Tool): ToolSource['annotations'] {
  const isGet = method === 'GET' || method === 'HEAD';
  const isDelete = method === 'DELETE';
  const overwrites = method === 'PUT' || isDelete;
  const { readOnlyHint = isGet && annotations.destructiveHint !== true } = annotations;
  return {
    readOnlyHint,
    ...((readOnlyHint || overwrites) && { destructiveHint: isDelete || !readOnlyHint }),
    idempotentHint: readOnlyHint || overwrites,
    openWorldHint: true,
    ...annotations,
  };
}

function titleOf(toolName: string): string {
  const words = toolName
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim();
  return words === '' ? toolName : words.replace(/(^| )[a-z]/g, (start) => start.toUpperCase());
}

/** The part of an answer that a JMESPath expression selects. An invalid expression fails the call. */
async function selectPart(outcome: ToolOutcome, expression: string): Promise<ToolOutcome> {
  if (!outcome.status || outcome.binary !== undefined) return outcome;
  const { status, findings, data } = await selectData(outcome.data, expression);
  if (!status) return { status, findings, data: null, dataAsString: null };
  return { status, findings: outcome.findings, data, dataAsString: stringifyData(data) };
}

/** Reports in `_meta` how an answer was obtained, unless by a single request. */
function withUpstreamMeta(result: ToolResult, { cache, upstream, pages }: TracedOutcome): ToolResult {
  const cached = cache?.hit === true;
  const isPlain = !cached && upstream === undefined;
  if (isPlain && pages === undefined) return result;
  const { waitedMs = 0, attempts = 0 } = upstream ?? {};
  const meta = {
    ...result._meta,
    ...(!isPlain && { 'schemakit/upstream': { cached, waitedMs, attempts } }),
    ...(pages && { 'schemakit/pages': pages }),
  };
  return { ...result, _meta: meta };
}

/** The queries of a schema's databases and its documents, as tools: `<resource>_<query>` and `<resource>`. */
function resourceTools(record: SchemaRecord): PartialSource[] {
  const { schema, file } = record;
  const places = new Map(
    [...schema.resources.values()].map((resource): [unknown, ResourcePlace] => {
      const { name, queries } = resource;
      const own = { namespace: schema.namespace, name, queries: [...queries.keys()] };
      return [resource, { ...own, ...(file !== undefined && { file }) }];
    }),
  );
  return resourceRoutes(record).flatMap((route) => {
    const place = places.get(route.resource);
    return place === undefined ? [] : [resourceTool(route, place)];
  });
}

function resourceTool({ name, aliases, resource, query, call }: ResourceRoute, place: ResourcePlace): PartialSource {
  return {
    toolName: name,
    aliases,
    description: query?.description || resource.description,
    inputs: query?.inputs ?? documentInputs,
    // Queries and documents are read-only.
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: resource.kind === 'http',
    },
    requiredServerParams: [],
    part: {
      place,
      ...(query && { query: query.name }),
      mimeType: resource.kind === 'sqlite' ? 'application/json' : documentMediaType(resource),
    },
    async run(params, context) {
      const { status, findings, data } = await call(params, context);
      return { status, findings, data, dataAsString: status ? stringifyData(data) : null };
    },
  };
}
