import type { ModelMessage } from 'ai';

/** A JSON object, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A tool as a model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** A tool call that a model asks for. */
export interface ToolCall {
  id: string;
  name: string;
  args: unknown;
  /** Why the call cannot be run, for example arguments that are not JSON. */
  problem?: string;
}

/** Tokens and money. All numbers add up. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` that came from the provider's cache. */
  cachedTokens: number;
  /** Requests to the model, with retries. */
  requests: number;
  /** In the currency of `prices`, or as the provider reports it. Absent if neither is known. */
  cost?: number;
  /** Whether the cost of a part is not known, so that `cost` is too low. */
  costIsPartial?: true;
}

export interface ModelRequest {
  instructions: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** The name of the tool that the model must call. */
  force?: string | undefined;
  /** The most tokens of the answer. */
  maxTokens: number;
  signal: AbortSignal;
}

export interface ModelAnswer {
  text: string;
  calls: ToolCall[];
  /** Whether `maxTokens` ended the answer, so that its last call may be incomplete. */
  isCutOff: boolean;
  usage: Usage;
  /** The message for the conversation, with what the provider needs back, such as signatures of thoughts. */
  message: ModelMessage;
}

/** One request to a model. Rejects with the provider's error. */
export type Model = (request: ModelRequest) => Promise<ModelAnswer>;

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, requests: 0 };

/** Whether a value can be added up: others report what they like. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Notes that a cost is not known, for the sum with others that are. */
export function markUnknownCost(usage: Partial<Usage>): Partial<Usage> {
  return usage.cost === undefined ? { ...usage, costIsPartial: true } : usage;
}

export function addUsage(one: Usage, other: Partial<Usage>): Usage {
  const cost = one.cost === undefined && other.cost === undefined ? {} : { cost: (one.cost ?? 0) + (other.cost ?? 0) };
  return {
    inputTokens: one.inputTokens + (other.inputTokens ?? 0),
    outputTokens: one.outputTokens + (other.outputTokens ?? 0),
    cachedTokens: one.cachedTokens + (other.cachedTokens ?? 0),
    requests: one.requests + (other.requests ?? 0),
    ...cost,
    ...((one.costIsPartial ?? other.costIsPartial) && { costIsPartial: true }),
  };
}
