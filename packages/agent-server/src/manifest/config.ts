import type { LoadedSchema } from '@schemakit/core';
import type { Authenticate, OAuthResource, TaskStore } from '@schemakit/server';
import type { PriceTable } from '../model/ai-sdk-model.ts';
import type { JsonObject } from '../model/model.ts';
import type { LlmConfig } from '../model/open-model.ts';
import type { PaymentSettings, Price } from '../payment/payment-settings.ts';
import type { RunEvent } from '../run/events.ts';
import type { RunLimits } from '../run/next-step.ts';

/** Settings of {@link AgentToolsServer.create}. */
export interface AgentServerConfig extends AgentServerSettings {
  /** Name of the server in the MCP handshake. */
  name: string;
  version: string;
  tools: readonly AgentToolConfig[];
  /** Who is paid for tools with a `price`, by x402. Needs the packages `@x402/core` and `@x402/evm`, and `@x402/svm` for Solana. */
  payment?: PaymentSettings;
}

/** What `create` and `fromManifest` share. */
export interface AgentServerSettings {
  /** Default `/mcp`. */
  routePath?: string;
  llm: LlmConfig;
  /** Money per million tokens, by the `model` of agents; needed for `maxCost` and `cost`, unless the provider reports costs. */
  prices?: PriceTable;
  /** Authentication: a bearer token, a function, or OAuth access tokens. Default: none. */
  auth?: string | Authenticate | OAuthResource;
  /** As in `@schemakit/server`. */
  allowedHosts?: readonly string[] | 'any';
  /** As in `@schemakit/server`. */
  allowedOrigins?: readonly string[];
  /** Size limit of a request, in bytes. Default 4 MiB. */
  maxBodyBytes?: number;
  /**
   * Where runs that are tasks are stored: `memory:`, `sqlite:<file>`, from which they go on after a restart, or a store of your own, whose
   * runs end with the process. Default `memory:`.
   */
  tasks?: string | { store: TaskStore };
  /** Encrypts what a file of `tasks` holds: `<id>:<64 hex digits>`, several with commas between them, the current one first. Default: no key. */
  taskKeys?: string;
  /** Runs of `tasks` that this process works on at once; others wait. 0: only other processes work on runs, and calls wait for them. Default 100. */
  maxRuns?: number;
  /** Runs that may wait in `tasks` for a worker; further calls are refused as busy. Default: no limit. */
  maxWaiting?: number;
  /** How long `close` waits for requests in flight before it hands runs back, in milliseconds, at most a day. Default 5,000. */
  graceMs?: number;
  /** Streams the events of runs at `GET <routePath>/events`, to each caller those of its own. Needs `auth`. Default false. */
  events?: boolean;
  /** Shows runs in hosts that show pages (MCP Apps). Default true. */
  apps?: boolean;
  /** Puts what callers, models and tools say into traces. Default false. */
  recordContent?: boolean;
  /** The clock of runs. Default: the system's. With a fixed one, a recorded run can be repeated. */
  clock?: () => Date;
  /** Receives the events of all runs. They contain what callers sent and tools answered. */
  onEvent?: (event: RunEvent) => void;
  /** Receives errors that no client sees, such as a tool source that cannot be reached. */
  onError?: (error: Error) => void;
}

/** A tool that an agent answers. */
export interface AgentToolConfig {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: JsonObject;
  agent: AgentConfig;
  toolSources: readonly ToolSource[];
  execution?: { taskSupport: 'optional' | 'required' };
  /** Of its tasks, 0 to 9: workers take higher ones first. Default 0. */
  priority?: number;
  /** What a call costs, if it succeeds: `'$0.01'`. Needs `payment`. Default: nothing. */
  price?: Price;
}

export interface AgentConfig extends Partial<RunLimits> {
  systemPrompt: string;
  /** The model's id, such as `anthropic/claude-sonnet-5`. */
  model: string;
  /** JSON Schema of the answer, an object. Default: `title`, `analysis`, `keyFindings`, `sources`. */
  answerSchema?: JsonObject;
  /** Whether it may call tools that may destroy something (`destructiveHint`). Default false. */
  allowDestructive?: boolean;
}

/** Where an agent's tools come from. */
export type ToolSource = SchemaSource | McpSource | FunctionSource;

/** Tools of schemas. */
export interface SchemaSource {
  type: 'flowmcp';
  /** Results of `loadSchema`, or their `main`. */
  schemas: readonly (LoadedSchema | Readonly<Record<string, unknown>>)[];
  /** Values of the server parameters of the schemas. */
  serverParams?: Readonly<Record<string, string | undefined>>;
}

/** Tools of another MCP server: those with `readOnlyHint: true`, and those that `allow` names. */
export interface McpSource {
  type: 'mcp';
  /** Address of a server over Streamable HTTP. */
  url?: string;
  /** Headers of its requests. Their values are kept from the model. */
  headers?: Readonly<Record<string, string>>;
  /** A program that speaks MCP over standard input and output, with its arguments. */
  command?: readonly string[];
  allow?: readonly string[];
}

/** Functions of the program. */
export interface FunctionSource {
  type: 'tools';
  tools: readonly FunctionTool[];
}

export interface FunctionTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: JsonObject;
  /** As in MCP. Without `readOnlyHint: true`, a call is not repeated. */
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
  /** Resolves to plain data or text. What it throws is told to the model. */
  execute(args: Record<string, unknown>, context: FunctionContext): unknown;
}

export interface FunctionContext {
  /** Aborts when the run ends or the call takes too long. */
  signal: AbortSignal;
  /** Pass it on as `_meta` of calls to MCP servers, so that agents which call each other end. */
  meta: Readonly<Record<string, unknown>>;
}
