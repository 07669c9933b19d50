import { Server } from '@modelcontextprotocol/server';
import type { KeptAnswers } from '../answers/kept-answers.ts';
import { createLiveOffer, type LiveOffer } from '../catalog/live-offer.ts';
import type { Offer } from '../catalog/offer.ts';
import { defaultPageSize } from '../catalog/page.ts';
import { type CallCount, createCallCount } from '../in-flight.ts';
import { type CallTool, callTool as callPlainly } from './call-tool.ts';
import { type ReadOptions, serveCompletions, servePrompts, serveResources, serveTools } from './request-handlers.ts';

/** A server's name and version for the MCP handshake. */
export interface ServerInfo {
  name: string;
  version: string;
  /** What clients may tell the model about the server as a whole. */
  instructions?: string;
}

export interface McpServerOptions {
  /** How tools are called. Default: as they are. */
  callTool?: CallTool;
  /** How many entries a list answers at once. Default 1,000. */
  pageSize?: number;
  /** How long clients may keep lists, in milliseconds (MCP 2026-07-28, `ttlMs`). Default 60,000. */
  listTtlMs?: number;
  /** Whether what is listed is the same for every caller, so that caches may share it. Default false. */
  isPublic?: boolean;
  /** Counts the calls and readings that are going on. */
  calls?: CallCount;
  /** Finds answers that were too long to be given, for `resources/read`. */
  kept?: Pick<KeptAnswers, 'find'>;
  /** How resources are read: the limits that calls of tools have too. */
  readOptions?: ReadOptions;
}

/**
 * An MCP server for one connection. It only points at the tables, so thousands of tools cost a connection nothing.
 *
 * @param offer What it offers. A {@link LiveOffer} may change while the server is connected; one that has no prompts or
 * resources at first can have some later, so both are announced.
 */
export function createMcpServer(
  offer: Offer | LiveOffer,
  { instructions, ...info }: ServerInfo,
  {
    callTool = callPlainly,
    pageSize = defaultPageSize,
    listTtlMs = 60_000,
    isPublic = false,
    calls = createCallCount(),
    kept,
    readOptions = {},
  }: McpServerOptions = {},
): Server {
  const isLive = 'current' in offer;
  const live = isLive ? offer : createLiveOffer(offer);
  const { prompts, resources } = live.current;
  const hasPrompts = isLive || prompts.list.length > 0;
  const hasResources = isLive || kept !== undefined || resources.all.length > 0;
  const hasArguments = hasPrompts || resources.templates.length > 0;
  const changes = isLive ? { listChanged: true } : {};
  const hint = { ttlMs: listTtlMs, cacheScope: isPublic ? 'public' : 'private' } as const;
  const server = new Server(info, {
    capabilities: {
      tools: changes,
      ...(hasPrompts && { prompts: changes }),
      ...(hasResources && { resources: changes }),
      ...(hasArguments && { completions: {} }),
    },
    ...(instructions !== undefined && { instructions }),
    cacheHints: {
      'tools/list': hint,
      'prompts/list': hint,
      'resources/list': hint,
      'resources/templates/list': hint,
      'server/discover': hint,
    },
  });
  serveTools(server, live, { callTool, pageSize, calls });
  if (hasPrompts) servePrompts(server, live, { pageSize });
  if (hasResources) serveResources(server, live, { pageSize, calls, kept, readOptions });
  if (hasArguments) serveCompletions(server, live);
  return server;
}

/** Tells the client of a connection when lists change, until the connection ends. */
export function announceChanges(server: Server, offer: LiveOffer): void {
  // A client that is gone, or has not said hello yet, will ask for the lists by itself.
  const send = (sent: Promise<void>) => sent.catch(() => {});
  const unsubscribe = offer.subscribe((change) => {
    if (change.tools) send(server.sendToolListChanged());
    if (change.prompts) send(server.sendPromptListChanged());
    if (change.resources) send(server.sendResourceListChanged());
  });
  const { onclose } = server;
  server.onclose = () => {
    unsubscribe();
    onclose?.();
  };
}
