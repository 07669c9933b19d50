import { stringifyData } from '../call/answer-text.ts';
import type { CacheUse } from '../call/cache/answer-cache.ts';
import type { CallContext, UpstreamUse } from '../call/call-context.ts';
import { serverParamsOf } from '../call/callable-tool.ts';
import { callLoaded } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/plan-request.ts';
import { isBinaryType } from '../call/read-answer.ts';
import { type ResourceRoute, resourceRoutes } from '../call/resource-routes.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { documentInputs, documentMediaType } from '../resources/read-document.ts';
import type { Finding } from '../schema/finding.ts';
import { inputsJsonSchema } from '../schema/input/input-json-schema.ts';
import type { JsonObject } from '../schema/json.ts';
import { mcpToolName, nameTools } from '../schema/references/tool-names.ts';
import type { Input, Tool } from '../schema/schema.ts';
import { type ExposedResource, exposeResource } from './exposed-resource.ts';
import { answerShaper, outputJsonSchema } from './output-shape.ts';
import { nameResources, type ResourcePart, type ResourcePlace } from './resource-uri.ts';
import { selectData } from './select/select-data.ts';
import { type AnswerOptions, type ToolOutcome, type ToolResult, toolResult } from './tool-result.ts';

/** Hints for clients about what a tool does (MCP specification, ToolAnnotations). */
export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** How a tool appears in `tools/list`. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: ToolAnnotations;
}

/** A tool of a schema as an MCP server offers it. */
export interface ExposedTool {
  listing: ToolListing;
  /** Names that a call may use in place of the listed one, such as `…_freeQuery` for `…_runSql`. */
  aliases: readonly string[];
  namespace: string;
  /** The tags of its schema. */
  tags: readonly string[];
  toolName: string;
  /** The schema's file, where it has one. */
  file?: string;
  inputs: readonly Input[];
  /** Names of the server parameters without which its calls fail. */
  requiredServerParams: readonly string[];
  /** Whether it answers bytes, such as a picture, of which no part can be selected. */
  isBinary?: boolean;
  /** For a query or a document: the same at an address, for `resources/read`. */
  resource?: ExposedResource;
  /** Calls the tool with a client's arguments. Never throws: a failed call is a result with `isError`. */
  call(args: unknown, options?: CallContext & AnswerOptions): Promise<ToolResult>;
}

/** A loaded schema as a table of tools needs it. */
export interface ExposedSchema {
  main: Record<string, unknown>;
  record: SchemaRecord;
}

/** What is known of the way to an answer. */
interface UpstreamFacts {
  cache?: CacheUse;
  upstream?: UpstreamUse;
}

/** What becomes an MCP tool: a tool of a schema, a query of a database, or a document. */
interface ToolSource
  extends Pick<
    ExposedTool,
    'namespace' | 'tags' | 'toolName' | 'file' | 'inputs' | 'requiredServerParams' | 'isBinary'
  > {
  /** Other names in place of `toolName`. */
  aliases?: readonly string[];
  description: string;
  outputSchema?: JsonObject | undefined;
  hints: Omit<ToolAnnotations, 'title'>;
  /** Absent for a tool of a schema. */
  part?: ResourcePart & { mimeType: string };
  run(args: unknown, context: CallContext): Promise<ToolOutcome & UpstreamFacts>;
}

/**
 * The MCP tools of schemas, in the order of the schemas: the tools of each, then the queries and documents of its resources.
 * Names and addresses are unique; where the files are known, they do not depend on the order.
 */
export function exposeTools(
  schemas: readonly ExposedSchema[],
  options: { serverParams?: SecretValues } = {},
): ExposedTool[] {
  return exposeToolSet(schemas, options).tools;
}

/** The same tools, with a warning for each name that several of them would have. */
export function exposeToolSet(
  schemas: readonly ExposedSchema[],
  { serverParams = {} }: { serverParams?: SecretValues } = {},
): { tools: ExposedTool[]; findings: Finding[] } {
  const sources = schemas.flatMap(({ main, record }) => {
    // Copied first: an array of a program may have a constructor of its own.
    const tags = Array.isArray(main.tags) ? [...main.tags].filter((tag): tag is string => typeof tag === 'string') : [];
    const { file } = record;
    const own = { namespace: record.schema.namespace, tags, ...(file !== undefined && { file }) };
    const tools = [...record.schema.tools.values()].map((tool) => schemaTool({ main, record }, tool, serverParams));
    return [...tools, ...resourceTools(record)].map((source): ToolSource => ({ ...own, ...source }));
  });
  const uris = nameResources(sources.filter(isReadable), ({ part }) => part);
  const { named, findings } = nameTools(sources);
  const tools = named.map(({ tool, names }) =>
    isReadable(tool)
      ? exposeReadable(tool, { name: names.mcp, uri: uris.get(tool) ?? '' })
      : exposeTool(tool, names.mcp),
  );
  return { tools, findings };
}

function schemaTool({ main, record }: ExposedSchema, tool: Tool, serverParams: SecretValues): PartialSource {
  const { handlerMap, schema } = record;
  const loaded = { record, tool, main, handlerMap, serverParams };
  return {
    toolName: tool.name,
    description: tool.description,
    inputs: tool.inputs,
    requiredServerParams: serverParamsOf(schema, tool),
    outputSchema: outputJsonSchema(tool.output?.schema),
    ...(tool.output && isBinaryType(tool.output.mimeType, tool.output) && { isBinary: true }),
    hints: hintsOf(tool.method),
    async run(userParams, context) {
      const result = await callLoaded(loaded, userParams, context);
      const { mimeType, data } = result;
      const isBody = mimeType !== undefined && typeof data === 'string' && isBinaryType(mimeType, tool.output);
      return isBody ? { ...result, binary: mimeType } : result;
    },
  };
}

type PartialSource = Omit<ToolSource, 'namespace' | 'tags' | 'file'>;
type ReadableSource = ToolSource & Required<Pick<ToolSource, 'part'>>;

function isReadable(source: ToolSource): source is ReadableSource {
  return source.part !== undefined;
}

function exposeReadable(source: ReadableSource, { name, uri }: { name: string; uri: string }): ExposedTool {
  const { place, query, mimeType } = source.part;
  const tool = exposeTool(source, name);
  const resource = { ...source, resourceName: place.name, isDocument: query === undefined, mimeType };
  return { ...tool, resource: exposeResource(resource, { uri, name, title: tool.listing.title }) };
}

function exposeTool(source: ToolSource, name: string): ExposedTool {
  const { description, outputSchema, hints, run, part, aliases = [], ...about } = source;
  const { namespace, toolName, inputs } = about;
  const title = titleOf(toolName);
  const shape = outputSchema && answerShaper(outputSchema);
  const listing: ToolListing = {
    name,
    title,
    description,
    inputSchema: inputsJsonSchema(inputs),
    ...(outputSchema && { outputSchema }),
    annotations: { title, ...hints },
  };
  // A tool that had to give up its name to another one leaves it the aliases as well.
  const kept = name === mcpToolName(namespace, toolName) ? aliases : [];
  return {
    ...about,
    listing,
    aliases: kept.map((alias) => mcpToolName(namespace, alias)),
    async call(args = {}, options = {}) {
      const outcome = await run(args, options);
      const { select } = options;
      const selected = select === undefined ? outcome : await selectPart(outcome, select);
      return withUpstreamMeta(toolResult(selected, shape, options), outcome);
    },
  };
}

/** What the method promises (RFC 9110, 9.2). POST promises nothing, and rarely destroys. */
function hintsOf(method: string): Omit<ToolAnnotations, 'title'> {
  const readOnlyHint = method === 'GET' || method === 'HEAD';
  return {
    readOnlyHint,
    destructiveHint: method === 'DELETE' || method === 'PUT' || method === 'PATCH',
    idempotentHint: readOnlyHint || method === 'PUT' || method === 'DELETE',
    openWorldHint: true,
  };
}

function titleOf(toolName: string): string {
  const words = toolName
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim();
  return words === '' ? toolName : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The part of an answer that a JMESPath expression selects. A wrong expression fails the call. */
async function selectPart(outcome: ToolOutcome, expression: string): Promise<ToolOutcome> {
  if (!outcome.status || outcome.binary !== undefined) return outcome;
  const { status, findings, data } = await selectData(outcome.data, expression);
  if (!status) return { status, findings, data: null, dataAsString: null };
  return { status, findings: outcome.findings, data, dataAsString: stringifyData(data) };
}

/** Says in `_meta` how an answer came about, where that was not by one request that was sent and answered. */
function withUpstreamMeta(result: ToolResult, { cache, upstream }: UpstreamFacts): ToolResult {
  const cached = cache?.hit === true;
  if (!cached && upstream === undefined) return result;
  const { waitedMs = 0, attempts = 0 } = upstream ?? {};
  return { ...result, _meta: { ...result._meta, 'schemakit/upstream': { cached, waitedMs, attempts } } };
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
    // Queries and documents are read, never changed.
    hints: {
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
