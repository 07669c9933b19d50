import type {
  AuthInfo,
  CallToolResult,
  ClientCapabilities,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { ExposedPrompt, ExposedTool, McpSkill } from '@schemakit/core';

type MaybePromise<Value> = Value | Promise<Value>;
type ExposedResource = NonNullable<ExposedTool['resource']>;
type ResourceFault = Extract<Awaited<ReturnType<ExposedResource['read']>>, { ok: false }>;
type PromptFault = Extract<ReturnType<ExposedPrompt['get']>, { ok: false }>;

/** A resource that a server can serve. The resources of a loaded schema have this shape. */
export interface ServedResource
  extends Pick<ExposedResource, 'resourceName' | 'uri' | 'listing' | 'template' | 'matches'> {
  read(
    address: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<{ ok: true; contents: ReadResourceResult['contents'] } | ResourceFault>;
  complete(argument: string, typed: string): MaybePromise<string[]>;
}

/** The client behind a call, for tools that ask it back or answer each caller differently. */
export interface ClientContext {
  /** `_meta` of the request. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** Who calls, if the server authenticates. */
  authInfo?: AuthInfo | undefined;
  /** Masks the bearer token of the request, which must not be stored or passed on, in a text. */
  maskToken?: (text: string) => string;
  capabilities?: ClientCapabilities | undefined;
  /** The answers of the user, and the state that the tool gave out with its questions (`inputRequired` of the MCP SDK). */
  inputResponses?: Readonly<Record<string, unknown>> | undefined;
  requestState?: string | undefined;
}

/** Options of one tool call. `onProgress` is set if the client asked for progress. */
export type ServedCallOptions = NonNullable<Parameters<ExposedTool['call']>[1]> & { client?: ClientContext };

/** A tool that a server can serve. The tools of a loaded schema have this shape. */
export interface ServedTool
  extends Pick<
    ExposedTool,
    'listing' | 'aliases' | 'namespace' | 'tags' | 'toolName' | 'file' | 'requiredServerParams' | 'isBinary'
  > {
  resource?: ServedResource;
  /**
   * Runs before a call, or before its task begins, and may answer instead: with a question to the user (`inputRequired` of the MCP SDK)
   * or a refusal. Once the user has answered, it runs again.
   */
  before?(
    args: Record<string, unknown>,
    client: ClientContext,
  ): MaybePromise<CallResult | InputRequiredResult | undefined>;
  /** Never rejects: a failed call resolves to a result with `isError`. As a task, one that rejects has failed with this error. */
  call(args: unknown, options?: ServedCallOptions): Promise<CallResult>;
}

/** The result of a tool call, with content of any kind that MCP has. */
export interface CallResult extends Omit<Awaited<ReturnType<ExposedTool['call']>>, 'content'> {
  content: CallToolResult['content'];
}

/** A prompt that a server can serve. The prompts of a loaded schema have this shape. */
export interface ServedPrompt extends Pick<ExposedPrompt, 'listing' | 'namespace'> {
  /** Serves it in the Skills extension, too. */
  skill?: ServedSkill;
  get(
    args?: unknown,
  ): MaybePromise<{ ok: true; description?: string; messages: GetPromptResult['messages'] } | PromptFault>;
  complete(argument: string, value: string): MaybePromise<string[]>;
}

/** A skill for the Skills extension (SEP-2640): a folder of files, of which `SKILL.md` is read first. */
export interface ServedSkill extends Omit<McpSkill, 'files'> {
  files(): MaybePromise<Readonly<Record<string, string>>>;
}

/** The tool that a `call_tool` request names, or an error result. */
export type RedirectedCall = { tool: ServedTool; args: Record<string, unknown> } | { result: CallResult };

/** Everything a server offers. All connections share it. */
export interface ToolCatalog {
  tools: {
    /** Number of tools. Does not read `list` or `all`, which may be lazy. */
    count: number;
    list: readonly ServedTool['listing'][];
    /** Tools by name and alias. */
    byName: Pick<ReadonlyMap<string, ServedTool>, 'get'>;
    all: readonly ServedTool[];
    /** Tools that call other tools, by name. */
    redirects?: ReadonlyMap<string, (args: Record<string, unknown>) => RedirectedCall>;
  };
  prompts: {
    list: readonly ServedPrompt['listing'][];
    byName: ReadonlyMap<string, ServedPrompt>;
    all: readonly ServedPrompt[];
  };
  resources: {
    list: readonly NonNullable<ServedResource['listing']>[];
    templates: readonly NonNullable<ServedResource['template']>[];
    all: readonly ServedResource[];
    /** Resources that belong to no tool. */
    standalone: readonly ServedResource[];
  };
}

/**
 * Builds a catalog of tools and prompts. Resources of tools are part of it; `standalone` adds others.
 *
 * @example
 * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * const catalog = createToolCatalog(exposeSchemas(schemas));
 * console.log(catalog.tools.list.map(({ name }) => name));
 */
export function createToolCatalog(
  tools: readonly ServedTool[],
  prompts: readonly ServedPrompt[] = [],
  standalone: readonly ServedResource[] = [],
): ToolCatalog {
  const resources = [...tools.flatMap(({ resource }) => resource ?? []), ...standalone];
  // Names come last: they win over aliases.
  const aliases = tools.flatMap((tool) => tool.aliases.map((alias) => [alias, tool] as const));
  const names = tools.map((tool) => [tool.listing.name, tool] as const);
  return {
    tools: {
      count: tools.length,
      list: tools.map(({ listing }) => listing),
      byName: new Map([...aliases, ...names]),
      all: tools,
    },
    prompts: {
      list: prompts.map(({ listing }) => listing),
      byName: new Map(prompts.map((prompt) => [prompt.listing.name, prompt])),
      all: prompts,
    },
    resources: {
      list: resources.flatMap(({ listing }) => listing ?? []),
      templates: resources.flatMap(({ template }) => template ?? []),
      all: resources,
      standalone,
    },
  };
}

/** Which lists of a catalog have changed. */
export interface CatalogChange {
  tools: boolean;
  prompts: boolean;
  resources: boolean;
}

/** A catalog that can be replaced while it is served. Open connections see the new one and are notified. */
export interface ReloadableCatalog {
  readonly current: ToolCatalog;
  /** Replaces the catalog and notifies the subscribers if a list differs. */
  replace(catalog: ToolCatalog): void;
  /** Calls `listener` after each change. Returns a function that unsubscribes it. */
  subscribe(listener: (change: CatalogChange) => void): () => void;
}

/**
 * Makes a catalog replaceable at run time.
 *
 * @example
 * const load = async () => createToolCatalog(exposeSchemas((await loadSchemas({ paths: ['tides.mjs'] })).schemas));
 * const catalog = createReloadableCatalog(await load());
 * const { close } = await createServer(catalog).http();
 * catalog.replace(await load()); // clients are notified if a list has changed
 * await close();
 */
export function createReloadableCatalog(first: ToolCatalog): ReloadableCatalog {
  const listeners = new Set<(change: CatalogChange) => void>();
  let current = first;
  return {
    get current() {
      return current;
    },
    replace(catalog) {
      const change = changeBetween(current, catalog);
      current = catalog;
      if (Object.values(change).some(Boolean)) for (const listener of [...listeners]) listener(change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Compares what clients see: replacing only the function behind a tool is no change. */
function changeBetween(before: ToolCatalog, after: ToolCatalog): CatalogChange {
  const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  const listed = ({ resources: { list, templates } }: ToolCatalog) => [list, templates];
  return {
    tools: differ(before.tools.list, after.tools.list),
    prompts: differ(before.prompts.list, after.prompts.list),
    resources: differ(listed(before), listed(after)),
  };
}
