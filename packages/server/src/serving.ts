import { type AnswerSettings, answeringCalls } from './answers/answer-settings.ts';
import { createKeptAnswers } from './answers/kept-answers.ts';
import { withSelectArgument } from './answers/select-argument.ts';
import { createLiveOffer, type LiveOffer } from './catalog/live-offer.ts';
import { createOffer, type Offer, type ServedPrompt, type ServedResource, type ServedTool } from './catalog/offer.ts';
import { createOfferViews, type Groups, type Selection } from './catalog/select-offer.ts';
import { discoveryOffer } from './discovery/discovery-offer.ts';
import { createCallCount } from './in-flight.ts';
import { timedCalls } from './mcp/call-tool.ts';
import type { McpServerOptions, ServerInfo } from './mcp/create-mcp-server.ts';
import { type CallRecord, recordedCalls } from './telemetry/call-log.ts';
import { tracedCalls } from './telemetry/tracing.ts';
import { type UpstreamListener, type UpstreamSettings, upstreamOptions } from './upstream/upstream-settings.ts';

/** What servers of every transport are told. */
export interface ServingOptions extends ServerInfo, AnswerSettings {
  /** What is offered: tools, prompts and resources that belong to no tool, or an offer that may change. */
  tools?: readonly ServedTool[];
  prompts?: readonly ServedPrompt[];
  resources?: readonly ServedResource[];
  offer?: LiveOffer;
  /** Lists three tools that find, describe and call the others, in place of all of them; `pinned` ones are listed beside. */
  discovery?: boolean | { pinned?: readonly string[] };
  /** Whether tools take one more argument, `select`, for a part of their answer. Default false. */
  selectArgument?: boolean;
  /** How many entries a list answers at once. Default 1,000. */
  pageSize?: number;
  /** How long clients may keep lists, in milliseconds (MCP 2026-07-28, `ttlMs`). Default 60,000. */
  listTtlMs?: number;
  /** How the APIs behind the tools are treated: how many requests they get at a time, and when they are left alone. */
  upstream?: UpstreamSettings;
  /**
   * How long a call may take in all, in milliseconds, from 1 to 2,147,483,647. Default: no limit of its own; a request may take
   * 30,000, and the handlers of a call together as long.
   */
  timeoutMs?: number;
  /** Takes what became of each call, for logs. */
  onCall?: (call: CallRecord) => void;
  /** Takes errors that no caller is told. */
  onError?: (error: Error) => void;
}

/** What the servers of all connections share. */
export interface Serving {
  offer: LiveOffer;
  /** The part of the offer that a selection means, as callers see it. */
  viewOf(selection?: Selection): LiveOffer;
  info: ServerInfo;
  options: McpServerOptions & Required<Pick<McpServerOptions, 'calls'>>;
}

export function createServing(
  {
    tools = [],
    prompts = [],
    resources = [],
    offer = createLiveOffer(createOffer(tools, prompts, resources)),
    discovery = false,
    selectArgument = false,
    name,
    version,
    instructions,
    pageSize,
    listTtlMs,
    upstream = {},
    timeoutMs,
    onCall = () => {},
    ...answers
  }: ServingOptions,
  {
    groups = new Map(),
    isPublic = false,
    listener,
  }: { groups?: Groups; isPublic?: boolean; listener?: UpstreamListener } = {},
): Serving {
  const pinned = typeof discovery === 'object' ? (discovery.pinned ?? []) : [];
  const shape = (part: Offer): Offer => {
    const shown = selectArgument ? withSelectArgument(part) : part;
    return discovery === false ? shown : discoveryOffer(shown, { pinned });
  };
  const kept = createKeptAnswers();
  const run = { ...upstreamOptions(upstream, listener), ...(timeoutMs !== undefined && { timeoutMs }) };
  const calls = timedCalls(answeringCalls(answers, kept, run), timeoutMs);
  return {
    offer,
    viewOf: createOfferViews(offer, { groups, shape }),
    info: { name, version, ...(instructions !== undefined && { instructions }) },
    options: {
      callTool: recordedCalls(tracedCalls(calls), onCall),
      calls: createCallCount(),
      kept,
      readOptions: run,
      isPublic,
      ...(pageSize !== undefined && { pageSize }),
      ...(listTtlMs !== undefined && { listTtlMs }),
    },
  };
}
