import { Server } from '@modelcontextprotocol/server';
import { defaultPageSize } from './catalog/page.ts';
import { createReloadableCatalog, type ReloadableCatalog, type ToolCatalog } from './catalog/tool-catalog.ts';
import { createInFlight } from './in-flight.ts';
import {
  type RequestHandlerOptions,
  serveCompletions,
  servePrompts,
  serveResources,
  serveTools,
} from './request-handlers.ts';
import { serveSkills, skillsExtension, skillsOf } from './skills.ts';
import { type ConnectionTasks, serveTasks, tasksCapabilities } from './tasks/start-task.ts';

/** A server's name and version for the MCP handshake. */
export interface ServerInfo {
  name: string;
  version: string;
  /** What the server is for, in a sentence, for users who choose servers. */
  description?: string;
  /** Hints on the server as a whole, which clients may pass to the model. */
  instructions?: string;
}

export interface McpServerOptions extends Partial<Omit<RequestHandlerOptions, 'startTask'>> {
  /** How long clients may cache lists, in milliseconds (MCP 2026-07-28, `ttlMs`). Default 60,000. */
  listTtlMs?: number;
  /** Whether every client gets the same lists, so that proxies may share them. Default false. */
  isPublic?: boolean;
  /** Runs calls of tools with `execution.taskSupport` as tasks. Default: no call is one. */
  tasks?: ConnectionTasks | undefined;
  /** Whether the connection is one of MCP 2026-07-28, where tasks are an extension. Default false. */
  isModern?: boolean;
  /** Receives the problem of a skill that cannot be served. */
  onError?: ((error: Error) => void) | undefined;
}

const cachedMethods = 'tools/list prompts/list resources/list resources/templates/list server/discover'.split(' ');

const defaults: Omit<RequestHandlerOptions, 'calls'> = {
  callTool: async (tool, args, { signal, onProgress, client }) =>
    tool.call(args, { signal, onProgress, ...(client && { client }) }),
  pageSize: defaultPageSize,
  apps: [],
  readOptions: {},
};

/**
 * Creates the MCP server of one connection, for a transport of your own. Connections share the catalog, so thousands of tools cost
 * a connection nothing.
 *
 * @param catalog A {@link ReloadableCatalog} may change while a client is connected. It may get prompts and resources later, so both
 * are announced.
 * @example
 * const info = { name: 'tides', version: '1.0.0' };
 * const { schemas } = await loadSchemas({ paths: ['tides.mjs'] });
 * const [left, right] = InMemoryTransport.createLinkedPair();
 * await createMcpServer(createToolCatalog(exposeSchemas(schemas)), info).connect(left);
 * const client = new Client(info);
 * await client.connect(right);
 * console.log((await client.listTools()).tools.length);
 */
export function createMcpServer(
  catalog: ToolCatalog | ReloadableCatalog,
  { instructions, ...info }: ServerInfo,
  { listTtlMs = 60_000, isPublic = false, isModern = false, tasks, onError, ...given }: McpServerOptions = {},
): Server {
  const options: RequestHandlerOptions = { ...defaults, calls: createInFlight(), ...given };
  const canChange = 'current' in catalog;
  const live = canChange ? catalog : createReloadableCatalog(catalog);
  const { prompts, resources } = live.current;
  const hasPrompts = canChange || prompts.list.length > 0;
  const hasSkills = canChange || skillsOf(prompts).length > 0;
  const hasResources =
    hasSkills || options.cachedAnswers !== undefined || options.apps.length > 0 || resources.all.length > 0;
  const hasArguments = hasPrompts || resources.templates.length > 0;
  const changes = canChange ? { listChanged: true } : {};
  const taskCapabilities = tasks === undefined ? {} : tasksCapabilities(isModern);
  const extensions = {
    ...(hasSkills && { [skillsExtension]: { directoryRead: true } }),
    ...taskCapabilities.extensions,
  };
  const hint = { ttlMs: listTtlMs, cacheScope: isPublic ? 'public' : 'private' } as const;
  const server = new Server(info, {
    capabilities: {
      tools: changes,
      ...(hasPrompts && { prompts: changes }),
      ...(hasResources && { resources: changes }),
      ...(hasArguments && { completions: {} }),
      ...taskCapabilities,
      ...(Object.keys(extensions).length > 0 && { extensions }),
    },
    ...(instructions !== undefined && { instructions }),
    cacheHints: Object.fromEntries(cachedMethods.map((method) => [method, hint])),
  });
  const startTask = tasks && serveTasks(server, tasks, { isModern, calls: options.calls });
  serveTools(server, live, { ...options, startTask });
  if (hasPrompts) servePrompts(server, live, options);
  if (hasResources) serveResources(server, live, options);
  if (hasSkills) serveSkills(server, live, { pageSize: options.pageSize, hint, onError });
  if (hasArguments) serveCompletions(server, live);
  return server;
}

/** Notifies the client of list changes until its connection ends. */
export function announceChanges(server: Server, catalog: ReloadableCatalog): void {
  // A client that has left, or has not initialized yet, will list again anyway.
  const ignoreFailure = (sent: Promise<void>) => void sent.catch(() => {});
  const unsubscribe = catalog.subscribe((change) => {
    if (change.tools) ignoreFailure(server.sendToolListChanged());
    if (change.prompts) ignoreFailure(server.sendPromptListChanged());
    if (change.resources) ignoreFailure(server.sendResourceListChanged());
  });
  const { onclose } = server;
  server.onclose = () => {
    unsubscribe();
    onclose?.();
  };
}
