import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Finding } from '@schemakit/core';
import { nearestWord } from '@schemakit/core/internal';
import {
  type CallResult,
  createServer,
  type HttpOptions,
  type HttpServer,
  type ListenOptions,
  type Route,
  subjectOwner,
} from '@schemakit/server';
import { AgentConfigError, checkConfig, checkManifestsSettings, checkNames } from '../manifest/check-config.ts';
import type { AgentServerConfig, AgentServerSettings, AgentToolConfig } from '../manifest/config.ts';
import { type ManifestSettings, type ManifestSource, openManifest } from '../manifest/from-manifest.ts';
import { type OpenAgent, openAgent } from '../manifest/open-agent.ts';
import type { JsonObject } from '../model/model.ts';
import { lazyGate } from '../payment/lazy-gate.ts';
import type { PaymentSettings, Price } from '../payment/payment-settings.ts';
import type { RunEvent } from '../run/events.ts';
import { openTasks } from '../tasks/open-tasks.ts';
import { createEventStream } from './event-stream.ts';
import { runTool } from './run-tool.ts';
import { servedAgent } from './served-agent.ts';

/** A tool in `listToolDefinitions`. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonObject;
  execution?: { taskSupport: 'optional' | 'required' };
}

/** Middleware of Express, Connect and `node:http`. A body that was parsed already is taken from `request.body`. */
export type Middleware = (
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/** A server whose tools are answered by agents. */
export interface AgentMcp {
  /** Serves MCP at `routePath`, before or after a JSON body parser; passes other paths to `next`. */
  middleware(): Middleware;
  listToolDefinitions(): { tools: ToolDefinition[] };
  /** Runs a tool directly. Never rejects: an unknown tool is a result with `isError`. */
  callTool(call: {
    name: string;
    arguments?: Record<string, unknown>;
    signal?: AbortSignal;
    onEvent?: (event: RunEvent) => void;
  }): Promise<CallResult>;
  /**
   * Listens, as `createServer(…).http` of `@schemakit/server` does.
   *
   * @throws {@link ServerOptionsError} or `ListenError` as there, and an `Error` after `close`.
   */
  http(options?: ListenOptions): Promise<HttpServer>;
  /** Ends all runs and connections. */
  close(): Promise<void>;
}

/** Creates servers whose tools are answered by agents. */
export const AgentToolsServer = {
  /**
   * Creates an MCP server whose tools are answered by agents: a model works with the tools of schemas until it submits an answer.
   *
   * @throws {@link AgentConfigError} with all faults of the configuration.
   * @example
   * const { mcp } = AgentToolsServer.create({
   *   name: 'harbour',
   *   version: '1.0.0',
   *   llm: { baseURL: 'https://api.anthropic.com', apiKey: 'your key' },
   *   tools: [
   *     {
   *       name: 'askTides',
   *       description: 'Answers questions about tides.',
   *       inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
   *       agent: { systemPrompt: 'You help sailors.', model: 'anthropic/claude-sonnet-5' },
   *       toolSources: [{ type: 'flowmcp', schemas: [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })] }],
   *     },
   *   ],
   * });
   * console.log(mcp.listToolDefinitions().tools[0].name); // askTides
   * await mcp.close();
   */
  create(config: AgentServerConfig): { mcp: AgentMcp } {
    const findings = checkConfig(config);
    if (findings.length > 0) throw new AgentConfigError('AgentToolsServer.create', findings);
    const { tools, ...settings } = config;
    return {
      mcp: serveAgents(
        settings,
        tools.map((tool) => openAgent(tool, settings)),
      ),
    };
  },

  /**
   * Creates an MCP server with one tool, the agent of a manifest (docs/agents.md). It has the tools that the manifest names.
   *
   * @throws {@link AgentConfigError} with all errors of the settings and of the manifest.
   * @returns `findings` are warnings, such as a `hash` that does not match.
   * @example
   * const llm = { baseURL: 'https://api.anthropic.com', apiKey: 'your key' };
   * const schemas = [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })];
   * const { mcp } = await AgentToolsServer.fromManifest({ file: 'agents/tide-guide/agent.mjs', llm, schemas });
   * console.log(mcp.listToolDefinitions().tools[0].name); // tide-guide
   * await mcp.close();
   */
  async fromManifest(settings: ManifestSettings): Promise<ManifestServer> {
    const { agent, manifest, findings, toolIds } = await openManifest(settings);
    return { mcp: serveAgents({ ...settings, name: manifest.name, version: '1.0.0' }, [agent]), findings, toolIds };
  },

  /**
   * Creates an MCP server with a tool for each manifest, as {@link AgentToolsServer.fromManifest} does for one.
   *
   * @throws {@link AgentConfigError} with all errors of the first manifest that has some.
   * @example
   * const { mcp } = await AgentToolsServer.fromManifests({
   *   name: 'harbour',
   *   version: '1.0.0',
   *   llm: { baseURL: 'https://api.anthropic.com', apiKey: 'your key' },
   *   agents: [
   *     { file: 'agents/pilot/agent.mjs' },
   *     { file: 'agents/tide-guide/agent.mjs', schemas: [await SchemaKit.loadSchema({ filePath: 'tides.mjs' })] },
   *   ],
   * });
   * console.log(mcp.listToolDefinitions().tools.map(({ name }) => name).join()); // harbour-pilot,tide-guide
   * await mcp.close();
   */
  async fromManifests(settings: ManifestsSettings): Promise<{ mcp: AgentMcp; findings: Finding[] }> {
    const faults = checkManifestsSettings(settings);
    if (faults.length > 0) throw new AgentConfigError('AgentToolsServer.fromManifests', faults);
    const { agents: sources, ...shared } = settings;
    const { name: _name, version: _version, ...common } = shared;
    const opened = await Promise.all(sources.map((source) => openManifest({ ...common, ...source })));
    const agents = opened.map(({ agent }) => agent);
    const names = agents.map(({ config }) => config.name);
    checkNames(names, (index) => `agents[${index}].name`, faults);
    if (faults.length > 0) throw new AgentConfigError('AgentToolsServer.fromManifests', faults);
    return { mcp: serveAgents(shared, agents), findings: opened.flatMap(({ findings }) => findings) };
  },
};

interface Identity {
  /** Name of the server in the MCP handshake. */
  name: string;
  version: string;
}

/** The result of `AgentToolsServer.fromManifest`. */
export interface ManifestServer {
  mcp: AgentMcp;
  /** Warnings, such as a `hash` that does not match. */
  findings: Finding[];
  /** Ids of tools, as the manifest names them, by their names in events. */
  toolIds: Record<string, string>;
}

/** Settings of `AgentToolsServer.fromManifests`. */
export interface ManifestsSettings extends AgentServerSettings, Identity {
  agents: readonly ManifestSource[];
}

function serveAgents(settings: AgentServerSettings & Identity & Payable, agents: readonly OpenAgent[]): AgentMcp {
  const { name, version, routePath = '/mcp', recordContent, onEvent, onError } = settings;
  const closing = new AbortController();
  // A listener that throws must not end a run.
  const tell = (event: RunEvent, listener: ((event: RunEvent) => void) | undefined) => {
    try {
      listener?.(event);
    } catch (error) {
      onError?.(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const byName = new Map(agents.map((agent) => [agent.config.name, agent]));
  const { provider, engine } = openTasks(settings, {
    agents: byName,
    closing: closing.signal,
    recordContent,
    onResult: (taskId, result) => gate?.settleTask(taskId, result),
    ...(onError && { onError }),
    onEvent(event, owner) {
      tell(event, onEvent);
      stream?.send(event, owner);
    },
  });
  const stream = settings.events === true ? createEventStream(closing.signal, engine?.follow) : undefined;
  const served = agents.map((agent) =>
    servedAgent(agent, {
      closing: closing.signal,
      recordContent,
      onEvent(event, { authInfo }) {
        tell(event, onEvent);
        stream?.send(event, authInfo && subjectOwner(authInfo));
      },
    }),
  );
  const server = createServer({ tools: served }, { name, version, tasks: provider, ...(onError && { onError }) });
  const { auth, allowedHosts, allowedOrigins, maxBodyBytes } = settings;
  const given = { auth, allowedHosts, allowedOrigins, maxBodyBytes };
  const eventPath = `${routePath.replace(/\/$/, '')}/events`;
  const gate = openGate(settings, agents);
  const httpOptions = {
    ...definedOnly(given),
    paths: { mcp: routePath },
    ...(gate && { gate }),
    routes: { ...otherSlash(routePath), ...(stream && { [eventPath]: stream.route }) },
  } as HttpOptions;
  const handlers = server.middleware(httpOptions);
  const listeners: HttpServer[] = [];
  const ownPaths = [routePath, ...Object.keys(httpOptions.routes ?? {}), ...metadataPaths(auth)];
  return {
    middleware: () => async (request, response, next) => {
      const [pathname = ''] = (request.url ?? '/').split('?', 1);
      if (ownPaths.includes(pathname) || next === undefined) return handlers.handle(request, response, next);
      next();
    },
    async http(options) {
      if (closing.signal.aborted) throw new Error(closedText);
      await engine?.ready;
      const listening = await server.http({ ...httpOptions, ...definedOnly({ ...options }) });
      listeners.push(listening);
      return listening;
    },
    listToolDefinitions: () => ({ tools: agents.map(({ config }) => definitionOf(config)) }),
    async callTool({ name, arguments: args = {}, signal, onEvent }) {
      const agent = byName.get(name);
      if (closing.signal.aborted) return { content: [{ type: 'text', text: closedText }], isError: true };
      if (agent === undefined) return unknownTool(String(name), [...byName.keys()]);
      const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
      const outcome = await runTool(agent, args, {
        signal: either,
        recordContent,
        onEvent(event) {
          tell(event, settings.onEvent);
          tell(event, onEvent);
        },
      });
      // Nobody can be asked here, so the run has ended.
      return 'result' in outcome ? outcome.result : unknownTool(name, []);
    },
    async close() {
      closing.abort();
      await Promise.all([handlers, ...listeners].map((each) => each.close()));
      await engine?.close();
      await Promise.all(agents.map((agent) => agent.close()));
    },
  };
}

interface Payable {
  payment?: PaymentSettings;
}

/** The gate in front of tools with a price; undefined without any. */
function openGate(
  { payment, tasks, taskKeys, maxBodyBytes, onError }: AgentServerSettings & Payable,
  agents: readonly OpenAgent[],
) {
  const priced = agents.flatMap(({ config: { name, price } }): [string, Price][] =>
    price === undefined ? [] : [[name, price]],
  );
  if (payment === undefined || priced.length === 0) return undefined;
  const shared = { ...(typeof tasks === 'string' && { tasks }), ...definedOnly({ taskKeys, maxBodyBytes }) };
  return lazyGate({ ...payment, ...shared, prices: Object.fromEntries(priced) }, onError);
}

function definedOnly<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>;
}

const closedText = 'This server is closed. Create another one.';

/** Redirects the path with a slash at its end, or without it, to the other one: clients follow 308 with their body. */
function otherSlash(path: string): Record<string, Route> {
  if (path === '/') return {};
  const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  return {
    [other]({ url }) {
      const { search } = new URL(url);
      const name = path.split('/').filter(Boolean).at(-1) ?? '';
      // Relative, because a proxy may have removed the beginning of the path.
      const location = path.endsWith('/') ? `${name}/` : `../${name}`;
      return new Response(null, { status: 308, headers: { Location: location + search } });
    },
  };
}

/** The paths of the metadata of an OAuth resource. */
function metadataPaths(auth: AgentServerSettings['auth']): readonly string[] {
  return typeof auth === 'object' ? auth.metadataPaths : [];
}

function definitionOf({ name, description, inputSchema, execution }: AgentToolConfig): ToolDefinition {
  return { name, description, inputSchema, ...(execution && { execution }) };
}

function unknownTool(name: string, known: readonly string[]): CallResult {
  const meant = nearestWord(name, known);
  const text = `There is no tool ${name}. ${meant === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${meant}?`}`;
  return { content: [{ type: 'text', text }], isError: true };
}
