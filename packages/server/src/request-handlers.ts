import {
  type CallToolRequest,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { createScrubber } from '@schemakit/core/internal';
import { selectable } from './answer-options.ts';
import { appListing, appOf, appTools, readApp, type ServedApp, showsApps, withApp } from './apps/served-app.ts';
import { tokenOf } from './auth/bearer-token.ts';
import type { CachedAnswers } from './cached-answers.ts';
import { page } from './catalog/page.ts';
import type { ClientContext, ReloadableCatalog, ServedCallOptions, ToolCatalog } from './catalog/tool-catalog.ts';
import { type ConfirmWrites, confirmWrite } from './confirm-writes.ts';
import { answerAborted, type InFlight } from './in-flight.ts';
import { protocolError } from './protocol.ts';
import { notingRetryAfter } from './retry-after.ts';
import { listedSkills, readSkillFile } from './skills.ts';
import type { StartTask } from './tasks/start-task.ts';
import { taskTtl } from './tasks/task-calls.ts';
import type { ToolCaller } from './tool-calls.ts';

export interface RequestHandlerOptions {
  /** Calls tools. Default: `tool.call`. */
  callTool: ToolCaller;
  /** Number of entries on a page of a list. Default 1,000. */
  pageSize: number;
  calls: InFlight;
  /** Pages for hosts that show them. Default: none. */
  apps: readonly ServedApp[];
  /** Whole answers, for `resources/read`. */
  cachedAnswers?: Pick<CachedAnswers, 'find'> | undefined;
  /** Whether the client's user is asked before calls of tools that may write. Default: no. */
  confirmWrites?: ConfirmWrites | undefined;
  /** Starts calls as tasks. Default: no call is one. */
  startTask?: StartTask | undefined;
  /** Limits for reading resources. */
  readOptions: Pick<ServedCallOptions, 'timeoutMs' | 'cache' | 'upstream'>;
}

/** `tools/list` and `tools/call`. */
export function serveTools(
  server: Server,
  catalog: ReloadableCatalog,
  { callTool, pageSize, calls, apps, confirmWrites: mode, startTask }: RequestHandlerOptions,
): void {
  const ofApps = new Map(apps.flatMap(({ tools = [] }) => tools).map((tool) => [tool.listing.name, tool]));
  server.setRequestHandler('tools/list', ({ params }, context) => {
    const { entries, next } = listPage(catalog.current.tools.list, ({ name }) => name, { ...params, pageSize });
    if (apps.length === 0 || !showsApps(clientOf(server, context).capabilities))
      return { tools: entries as never, ...next };
    const shown = entries.map((listing) => withApp(listing, apps));
    const more = next.nextCursor === undefined ? appTools(apps) : [];
    // Proxies must not give this list to clients that show no pages.
    const cacheScope = isModern(context) && { cacheScope: 'private' as const };
    return { tools: [...shown, ...more] as never, ...next, ...cacheScope };
  });
  const call = notingRetryAfter(async ({ params }: CallToolRequest, context) => {
    const { byName, redirects } = catalog.current.tools;
    const named = byName.get(params.name) ?? ofApps.get(params.name);
    if (named === undefined) throw protocolError(`Tool ${params.name} not found`);
    const given = params.arguments ?? {};
    const target = redirects?.get(params.name)?.(given) ?? { tool: named, args: given };
    if ('result' in target) return target.result as never;
    const { args } = target;
    const { id, signal, _meta: meta, notify, inputResponses } = context.mcpReq;
    const client = clientOf(server, context);
    const { capabilities } = client;
    const canSelect = 'select' in args && appOf(apps, params.name)?.canSelect === true && showsApps(capabilities);
    const tool = canSelect ? selectable(target.tool) : target.tool;
    const { task } = params as { task?: { ttl?: unknown } };
    const ttlMs = taskTtl(tool, { isModern: isModern(context), task, capabilities, hasTasks: startTask !== undefined });
    // Discovery's call_tool writes only by another tool, which is the target then.
    if (mode !== undefined && redirects?.has(tool.listing.name) !== true) {
      const stop = confirmWrite(tool, args, { mode, capabilities, responses: inputResponses });
      if (stop !== undefined) return stop as never;
    }
    const stop = await tool.before?.(args, client);
    if (stop !== undefined) return stop as never;
    if (startTask !== undefined && ttlMs !== undefined) {
      return startTask(tool, args, { client, callTool, ttlMs }, context) as never;
    }
    const onProgress = progressSender(meta?.progressToken, notify);
    const end = calls.begin(() => answerAborted(server, id));
    return callTool(tool, args, { signal, onProgress, client }).finally(end) as never;
  });
  server.setRequestHandler('tools/call', call);
}

/** Whether a request is one of MCP 2026-07-28. */
function isModern({ mcpReq }: ServerContext): boolean {
  return mcpReq.envelope !== undefined;
}

function clientOf(server: Server, { mcpReq, http }: ServerContext): ClientContext {
  const { _meta: meta, envelope, inputResponses } = mcpReq;
  // Each request carries them since 2026-07-28; before, the session has them.
  const { [CLIENT_CAPABILITIES_META_KEY]: sent } = (envelope ?? {}) as Record<string, ClientCapabilities | undefined>;
  const state: unknown = mcpReq.requestState();
  const tokens = [http?.req && tokenOf(http.req), http?.authInfo?.token].filter((token) => token !== undefined);
  return {
    meta,
    authInfo: http?.authInfo,
    maskToken: (text) => createScrubber(tokens)(text),
    capabilities: sent ?? server.getClientCapabilities(),
    inputResponses,
    requestState: typeof state === 'string' ? state : undefined,
  };
}

type Notify = (notification: {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string };
}) => Promise<void>;

/** Sends progress to a client that asked for it (MCP specification, Progress). */
function progressSender(
  progressToken: string | number | undefined,
  notify: Notify,
): ((message: string) => void) | undefined {
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    // Fails if the client has left.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  };
}

/** `prompts/list` and `prompts/get`. */
export function servePrompts(server: Server, catalog: ReloadableCatalog, { pageSize }: RequestHandlerOptions): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    const { entries, next } = listPage(catalog.current.prompts.list, ({ name }) => name, { ...params, pageSize });
    return { prompts: entries, ...next };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = catalog.current.prompts.byName.get(params.name);
    if (prompt === undefined) throw protocolError(`Prompt ${params.name} not found`);
    const result = await prompt.get(params.arguments ?? {});
    if (!result.ok) throw protocolError(result.findings.map(({ message }) => message).join('\n'));
    const { description, messages } = result;
    return { ...(description !== undefined && { description }), messages };
  });
}

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function serveResources(
  server: Server,
  catalog: ReloadableCatalog,
  { pageSize, calls, apps, cachedAnswers, readOptions }: RequestHandlerOptions,
): void {
  server.setRequestHandler('resources/list', ({ params }, context) => {
    const { resources, prompts } = catalog.current;
    const showsPages = apps.length > 0 && showsApps(clientOf(server, context).capabilities);
    const listed = [...resources.list, ...listedSkills(prompts), ...(showsPages ? apps.map(appListing) : [])];
    const { entries, next } = listPage(listed, ({ uri }) => uri, { ...params, pageSize });
    return { resources: entries, ...next, ...(showsPages && isModern(context) && { cacheScope: 'private' as const }) };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const { templates } = catalog.current.resources;
    const { entries, next } = listPage(templates, ({ uriTemplate }) => uriTemplate, { ...params, pageSize });
    return { resourceTemplates: entries, ...next };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const answer = cachedAnswers?.find(uri);
    if (answer !== undefined) return { contents: [{ uri, ...answer }] };
    const app = apps.find((each) => each.uri === uri);
    if (app !== undefined) return { contents: [await readApp(app)] };
    const { resources, prompts } = catalog.current;
    const file = await readSkillFile(prompts, uri);
    if (file !== undefined) return { contents: [file] };
    const resource = resources.all.find(({ matches }) => matches(uri));
    // Clients recognize a missing resource by data with the URI alone.
    if (resource === undefined) throw protocolError(`Resource ${uri} not found`, { data: { uri } });
    const { id, signal } = context.mcpReq;
    const end = calls.begin(() => answerAborted(server, id));
    try {
      const result = await resource.read(uri, { ...readOptions, signal });
      if (!result.ok) throw protocolError(result.fault.message, result.fault);
      return { contents: result.contents };
    } finally {
      end();
    }
  });
}

// MCP specification, Completion.
const maxCompletions = 100;

type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** `completion/complete` for arguments of prompts and of resource templates. */
export function serveCompletions(server: Server, catalog: ReloadableCatalog): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values = await findReferenced(ref, catalog.current).complete(argument.name, argument.value);
    const more = values.length > maxCompletions ? { total: values.length, hasMore: true } : {};
    return { completion: { values: values.slice(0, maxCompletions), ...more } };
  });
}

function findReferenced(
  ref: Reference,
  { prompts, resources }: ToolCatalog,
): { complete(argument: string, value: string): string[] | Promise<string[]> } {
  if (ref.type === 'ref/prompt') {
    const prompt = prompts.byName.get(ref.name);
    if (prompt === undefined) throw protocolError(`Prompt ${ref.name} not found`);
    return prompt;
  }
  const { uri } = ref;
  const resource =
    resources.all.find(({ template }) => template?.uriTemplate === uri) ??
    resources.all.find(({ matches }) => matches(uri));
  if (resource === undefined) throw protocolError(`Resource template ${uri} not found`, { data: { uri } });
  return resource;
}

function listPage<Entry>(...args: Parameters<typeof page<Entry>>): NonNullable<ReturnType<typeof page<Entry>>> {
  const found = page(...args);
  if (found === undefined) throw protocolError('Invalid cursor. Request the list without one.');
  return found;
}
