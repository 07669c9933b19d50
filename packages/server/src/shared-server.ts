import { type AnswerOptions, defaultAnswerLength, withSelectArgument } from './answer-options.ts';
import { answerApp } from './apps/answer-app.ts';
import type { ServedApp } from './apps/served-app.ts';
import { createCachedAnswers } from './cached-answers.ts';
import { createCatalogViews, type Groups, type ToolSelection } from './catalog/select-catalog.ts';
import {
  createReloadableCatalog,
  createToolCatalog,
  type ReloadableCatalog,
  type ServedPrompt,
  type ServedResource,
  type ServedTool,
  type ToolCatalog,
} from './catalog/tool-catalog.ts';
import type { ConfirmWrites } from './confirm-writes.ts';
import type { McpServerOptions, ServerInfo } from './create-mcp-server.ts';
import { discoveryCatalog } from './discovery/discovery-catalog.ts';
import type { TaskProvider } from './tasks/task-provider.ts';
import { tracedCalls } from './telemetry/tracing.ts';
import { type CallRecord, type ToolCaller, withRecord, withTimeout } from './tool-calls.ts';
import { type CallObserver, type UpstreamOptions, upstreamCallOptions } from './upstream-options.ts';

/** Tools, prompts, and resources that belong to no tool. */
export interface CatalogParts {
  tools?: readonly ServedTool[];
  prompts?: readonly ServedPrompt[];
  resources?: readonly ServedResource[];
}

/** Options of a server, for every transport. */
export interface ServerOptions
  extends Partial<ServerInfo>,
    AnswerOptions,
    Pick<McpServerOptions, 'pageSize' | 'listTtlMs'> {
  /**
   * Asks the client's user before each call of a tool that is not `readOnlyHint: true`. Where the client cannot ask (MCP elicitation),
   * `ask` calls the tool and `required` refuses. Default: nobody is asked.
   */
  confirmWrites?: ConfirmWrites;
  /** Lists three tools that find, describe and call the others instead of all tools; `pinned` ones are listed too. */
  discovery?: boolean | { pinned?: readonly string[] };
  /** Limits for requests to the APIs behind the tools. */
  upstream?: UpstreamOptions;
  /** Time limit of a call, in milliseconds, from 1 to 2,147,483,647. Default: none; each request may take 30,000. */
  timeoutMs?: number;
  /** Pages for hosts that show them (MCP Apps): `true` (the default) is one for the answers of all tools. */
  apps?: boolean | readonly ServedApp[];
  /** Runs calls of tools with `execution.taskSupport` as tasks, for clients that can follow them (MCP tasks). Default: none. */
  tasks?: TaskProvider;
  /** Receives the outcome of each call. */
  onCall?: (call: CallRecord) => void;
  /** Receives errors that no client sees. Must not write to stdout over stdio, where it carries the protocol. */
  onError?: (error: Error) => void;
}

/** What all transports and connections of a server share. */
export interface SharedServer {
  readonly catalog: ReloadableCatalog;
  /** Whether the catalog can change. */
  readonly isReloadable: boolean;
  readonly info: ServerInfo;
  readonly onError: ((error: Error) => void) | undefined;
  /** Options of the MCP server of each connection. */
  readonly connectionOptions: McpServerOptions;
  /** Views of the catalog by selection, as clients see them. */
  createViews(groups: Groups): (selection?: ToolSelection) => ReloadableCatalog;
  readonly observers: Set<CallObserver>;
}

export function createSharedServer(
  source: CatalogParts | ReloadableCatalog,
  {
    name = 'schemakit',
    version = '1.0.0',
    description,
    instructions,
    discovery = false,
    maxAnswerLength = defaultAnswerLength,
    structured,
    select = {},
    selectArgument = false,
    pageSize,
    listTtlMs,
    confirmWrites,
    upstream = {},
    timeoutMs,
    apps = true,
    tasks,
    onCall,
    onError,
  }: ServerOptions,
): SharedServer {
  const catalog = isReloadable(source) ? source : createReloadableCatalog(catalogOf(source));
  const observers = new Set<CallObserver>();
  const cachedAnswers = createCachedAnswers();
  const callOptions = { ...upstreamCallOptions(upstream, observers), ...(timeoutMs !== undefined && { timeoutMs }) };
  const callTool: ToolCaller = (tool, args, { signal, onProgress, client }) => {
    const expression = Object.hasOwn(select, tool.listing.name) ? select[tool.listing.name] : undefined;
    const shape = { maxLength: maxAnswerLength, structured, select: expression, keep: cachedAnswers.add };
    return tool.call(args, { ...callOptions, ...shape, signal, onProgress, ...(client && { client }) });
  };
  const record = (call: CallRecord) => {
    for (const observer of observers) observer.onCall(call);
    onCall?.(call);
  };
  const pinned = typeof discovery === 'object' ? discovery.pinned : undefined;
  const shape = (part: ToolCatalog): ToolCatalog => {
    const shown = selectArgument ? withSelectArgument(part) : part;
    return discovery === false ? shown : discoveryCatalog(shown, { pinned });
  };
  return {
    catalog,
    isReloadable: isReloadable(source),
    info: {
      name,
      version,
      ...(description !== undefined && { description }),
      ...(instructions !== undefined && { instructions }),
    },
    onError,
    connectionOptions: {
      callTool: withRecord(tracedCalls(withTimeout(callTool, timeoutMs)), record),
      apps: typeof apps === 'boolean' ? (apps ? [answerApp] : []) : apps,
      cachedAnswers,
      readOptions: callOptions,
      ...(pageSize !== undefined && { pageSize }),
      ...(listTtlMs !== undefined && { listTtlMs }),
      confirmWrites,
      tasks: tasks && {
        provider: tasks,
        onStart(tool) {
          for (const observer of observers) observer.onTask(tool);
        },
      },
    },
    createViews: (groups) => createCatalogViews(catalog, { groups, shape }),
    observers,
  };
}

export function isReloadable(source: object): source is ReloadableCatalog {
  return 'current' in source;
}

function catalogOf({ tools = [], prompts, resources }: CatalogParts): ToolCatalog {
  return createToolCatalog(tools, prompts, resources);
}
