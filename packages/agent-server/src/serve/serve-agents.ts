import type { IncomingMessage, ServerResponse } from 'node:http';
import { nearestWord } from '@schemakit/core/internal';
import {
  createServer,
  type HttpOptions,
  type HttpServer,
  type ListenOptions,
  type Route,
  subjectOwner,
} from '@schemakit/server';
import { AgentConfigError } from '../manifest/check-config.ts';
import type { AgentServerSettings, AgentToolConfig } from '../manifest/config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import type { OpenAgent } from '../manifest/open-agent.ts';
import type { JsonObject } from '../model/model.ts';
import { lazyGate } from '../payment/lazy-gate.ts';
import type { PaymentSettings, Price } from '../payment/payment-settings.ts';
import type { RunEvent } from '../run/events.ts';
import { openTasks } from '../tasks/open-tasks.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { createEventStream } from './event-stream.ts';
import { queuedRun } from './queued-run.ts';
import { createRunApp } from './run-app.ts';
import type { AgentResult } from './run-result.ts';
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
  /** Serves MCP at `routePath`, before or after a JSON body parser; passes other paths to `next`. `endpoints` are served beside it. */
  middleware(endpoints?: Endpoints): Middleware;
  listToolDefinitions(): { tools: ToolDefinition[] };
  /** Runs a tool directly. Never rejects: an unknown tool is a result with `isError`. */
  callTool(call: {
    name: string;
    arguments?: Record<string, unknown>;
    signal?: AbortSignal;
    onEvent?: (event: RunEvent) => void;
  }): Promise<AgentResult>;
  /**
   * Listens, as `createServer(…).http` of `@schemakit/server` does.
   *
   * @throws {@link ServerOptionsError} or `ListenError` as there, and an `Error` after `close`.
   */
  http(options?: ListenOptions): Promise<HttpServer>;
  /**
   * Works on the runs in `tasks` without listening, until `close`; the process does not end before. Resolves when the store is open.
   *
   * @throws {@link AgentConfigError} without such `tasks`, and an `Error` if the store cannot be opened, and after `close`.
   */
  work(): Promise<void>;
  /** The metrics of runs, as `http` has them at `/metrics`, in the text format of Prometheus. Empty for a store of your own. */
  metrics(): Promise<string>;
  /** Ends all runs and connections. */
  close(): Promise<void>;
}

/** What is served beside MCP, such as A2A: behind the same checks of host, caller and size, except documents. */
export type Endpoints = Pick<HttpOptions, 'routes' | 'documents'>;

/** What other protocols need to serve the agents of a server. */
export interface AgentParts extends Identity {
  /** Those without a price: payments are taken over MCP only. */
  agents: ReadonlyMap<string, OpenAgent>;
  /** Undefined where tasks are in a store of the user's own. */
  engine: TaskEngine | undefined;
  auth: AgentServerSettings['auth'];
  /** Of MCP. */
  routePath: string;
  /** Aborts when the server closes. */
  closing: AbortSignal;
}

const parts = new WeakMap<AgentMcp, AgentParts>();

export function partsOf(mcp: AgentMcp): AgentParts | undefined {
  return parts.get(mcp);
}

export interface Identity {
  /** Name of the server in the MCP handshake. */
  name: string;
  version: string;
}

/** Serves agents, each as one tool. */
export function serveAgents(
  settings: AgentServerSettings & Identity & Payable,
  agents: readonly OpenAgent[],
): AgentMcp {
  const { name, version, routePath = '/mcp', recordContent, apps = true, onEvent, onError } = settings;
  const closing = new AbortController();
  // Listeners that fail, at once or later, must not end a run.
  const tell = async (event: RunEvent, listener: ((event: RunEvent) => unknown) | undefined): Promise<void> => {
    try {
      await listener?.(event);
    } catch (error) {
      await (async () => onError?.(asError(error)))().catch(() => {});
    }
  };
  const byName = new Map(agents.map((agent) => [agent.config.name, agent]));
  const { provider, engine } = openTasks(settings, {
    agents: byName,
    closing: closing.signal,
    recordContent,
    onResult: (taskId, result) => gate?.settleTask(taskId, result),
    ...(onError && { onError }),
    onEvent(event, run) {
      void tell(event, onEvent);
      stream?.send(event, run);
      page?.add(event, { ...run, isStored: true });
    },
  });
  const isPaid = (tool: string) => gate !== undefined && byName.get(tool)?.config.price !== undefined;
  const following = { closing: closing.signal, isPaid, follow: engine?.follow };
  const stream = settings.events === true ? createEventStream(following) : undefined;
  const page = apps ? createRunApp({ isPaid, readJournal: engine?.events }) : undefined;
  const queue = settings.maxRuns === 0 ? engine : undefined;
  const awaitModel = engine?.awaitModel;
  const served = agents.map((agent) =>
    servedAgent(agent, {
      closing: closing.signal,
      recordContent,
      awaitModel,
      queue,
      onEvent(event, { authInfo }) {
        void tell(event, onEvent);
        const run = { tool: agent.config.name, ...(authInfo && { owner: subjectOwner(authInfo) }) };
        stream?.send(event, run);
        page?.add(event, run);
      },
    }),
  );
  const about = { name, version, apps: page === undefined ? false : [page.app] };
  const server = createServer({ tools: served }, { ...about, tasks: provider, ...(onError && { onError }) });
  const { auth, allowedHosts, allowedOrigins, maxBodyBytes } = settings;
  const given = { auth, allowedHosts, allowedOrigins, maxBodyBytes };
  const eventPath = `${routePath.replace(/\/$/, '')}/events`;
  const gate = openGate(settings, agents);
  const httpOptions = {
    ...definedOnly(given),
    paths: { mcp: routePath },
    ...(engine && { metrics: engine.metrics }),
    ...(gate && { gate }),
    routes: { ...otherSlash(routePath), ...(stream && { [eventPath]: stream.route }) },
  } as HttpOptions;
  const serving: { close(): Promise<void> }[] = [];
  const mount = ({ routes, documents = {} }: Endpoints): Middleware => {
    const served = { ...httpOptions, routes: { ...httpOptions.routes, ...routes }, documents };
    const handlers = server.middleware(served);
    serving.push(handlers);
    const ownPaths = [routePath, ...Object.keys({ ...served.routes, ...documents }), ...metadataPaths(auth)];
    return async (request, response, next) => {
      if (ownPaths.includes(pathOf(request.url)) || next === undefined) return handlers.handle(request, response, next);
      next();
    };
  };
  let plain: Middleware | undefined;
  const mcp: AgentMcp = {
    middleware(endpoints) {
      if (endpoints !== undefined) return mount(endpoints);
      plain ??= mount({});
      return plain;
    },
    async http({ routes, ...options } = {}) {
      if (closing.signal.aborted) throw new Error(closedText);
      await engine?.ready;
      const all = { ...httpOptions.routes, ...routes };
      const listening = await server.http({ ...httpOptions, ...definedOnly(options), routes: all });
      serving.push(listening);
      return listening;
    },
    async work() {
      if (closing.signal.aborted) throw new Error(closedText);
      const { tasks = 'memory:' } = settings;
      if (engine === undefined || tasks === 'memory:') throw new AgentConfigError('work', [unsharedTasks]);
      await engine.ready;
      const alive = setInterval(() => {}, 2 ** 30);
      closing.signal.addEventListener('abort', () => clearInterval(alive), { once: true });
    },
    metrics: async () => (await engine?.metrics()) ?? '',
    listToolDefinitions: () => ({ tools: agents.map(({ config }) => definitionOf(config)) }),
    async callTool(call) {
      const { name, arguments: args = {}, signal, onEvent } = Object(call) as Parameters<AgentMcp['callTool']>[0];
      const agent = byName.get(name);
      const tool = served.find(({ listing }) => listing.name === name);
      if (closing.signal.aborted) return failure(closedText);
      if (agent === undefined || tool === undefined) return unknownTool(String(name), [...byName.keys()]);
      try {
        const options = {
          signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
          recordContent,
          awaitModel,
          onEvent(event: RunEvent) {
            void tell(event, settings.onEvent);
            void tell(event, onEvent);
          },
        };
        if (queue !== undefined)
          return (await queuedRun(tool, args, { ...options, engine: queue, client: {} })) ?? failure(closedText);
        const outcome = await runTool(agent, args, options);
        // Nobody can be asked here, so the run has ended.
        return 'result' in outcome ? outcome.result : unknownTool(name, []);
      } catch (error) {
        return failure(`${name} failed: ${asError(error).message}`);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(serving.map((each) => each.close()));
      await engine?.close();
      await Promise.all(agents.map((agent) => agent.close()));
    },
  };
  const free = new Map([...byName].filter(([, { config }]) => config.price === undefined));
  parts.set(mcp, { name, version, agents: free, engine, auth, routePath, closing: closing.signal });
  return mcp;
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
  const shared = { ...(typeof tasks === 'string' && { tasks }), ...definedOnly({ taskKeys, maxBodyBytes, onError }) };
  return lazyGate({ ...payment, ...shared, prices: Object.fromEntries(priced) });
}

function definedOnly<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>;
}

const unsharedTasks = configFinding(
  'AGS001',
  'tasks',
  'tasks must be a store that servers queue runs in',
  "Such as tasks: 'sqlite:runs.db', 'redis://queue:6379' or 'postgres://queue/runs'.",
);

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
  // A copy: the caller may change it.
  return structuredClone({ name, description, inputSchema, ...(execution && { execution }) });
}

function unknownTool(name: string, known: readonly string[]): AgentResult {
  const meant = nearestWord(name, known);
  const text = `There is no tool ${name}. ${meant === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${meant}?`}`;
  return failure(text);
}

function failure(text: string): AgentResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The path of a request, whose target may be a whole URL (RFC 9112, 3.2.2). */
function pathOf(target = '/'): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1);
  return path === '' ? '/' : path;
}
