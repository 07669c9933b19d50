import type { ModelAnswer, Usage } from '../model/model.ts';

/** How a run ended. `incomplete`: rounds, tokens, cost or time ran out before there was an answer that fits. */
export type RunStatus = 'success' | 'incomplete' | 'needs_input' | 'error';

/** What calling a tool does, from its annotations: this decides what may be sent twice. */
export type Effect = 'read' | 'idempotent' | 'write';

/** A question of the agent for the user. */
export interface Question {
  message: string;
  /** JSON Schemas of the fields to fill in, by name. */
  fields?: Record<string, unknown>;
}

interface EventBase {
  runId: string;
  /** From 0, without gaps. */
  seq: number;
  /** ISO 8601. */
  time: string;
}

/**
 * A step of a run. A run is the list of its events: they are its journal, and the conversation with the model follows from them
 * (`conversation`). Events contain what the caller sent and what tools answered. Secrets of the agent are masked where they come in.
 */
export type RunEvent = EventBase & RunStep;

/** The events of one type. */
export type EventOf<Type extends RunStep['type']> = Extract<RunEvent, { type: Type }>;

export type RunStep =
  | {
      type: 'run.started';
      tool: string;
      model: string;
      args: Record<string, unknown>;
      /** Of a task: how many agents are above it, and whether its user can be asked. */
      depth?: number;
      canAsk?: boolean;
      /** Of a task over A2A: the conversation that its client groups it in. */
      contextId?: string;
    }
  /** A task goes on, after it was interrupted or because somebody asked for it. */
  | { type: 'run.resumed' }
  /** The agent asks its user. */
  | { type: 'run.paused'; question: Question }
  /** A request to the model follows. */
  | {
      type: 'round.started';
      round: number;
      /** Whether the model must submit its answer. */
      forced: boolean;
      /** What the model is told in it. */
      note?: string;
      /** Of the request, before the provider has counted. */
      estimatedTokens?: number;
    }
  | ({ type: 'model.answered'; round: number; durationMs: number } & ModelAnswer)
  | { type: 'tool.called'; callId: string; tool: string; args: Record<string, unknown>; effect: Effect }
  | {
      type: 'tool.answered';
      callId: string;
      /** Its name for `read_answer`: the round and the number of the call in it. */
      id: string;
      tool: string;
      /** What the model reads. */
      text: string;
      isError: boolean;
      durationMs: number;
      /** False for calls that were refused or answered from an earlier one. */
      isSent: boolean;
      /** The whole answer, where `text` is shortened. */
      whole?: string;
      /** What the model is told about the call, beside the answer. */
      note?: string;
      /** Tokens and cost of an agent that was the tool. */
      usage?: Partial<Usage>;
    }
  /** An answer that does not fit its schema. The model is told the findings. */
  | { type: 'answer.refused'; callId: string; problems: string[] }
  /** Older answers were shortened, or everything before `round` was replaced by a summary. */
  | {
      type: 'context.reduced';
      shortened: Record<string, string>;
      summary?: { text: string; round: number; usage: Usage };
      /** Of a request that the provider has refused as too long. */
      usage?: Usage;
    }
  | {
      type: 'run.ended';
      status: RunStatus;
      /** Fits the agent's answer schema if `status` is `success`. */
      answer: unknown;
      /** Why it did not succeed, for people. */
      reason?: string;
      degraded?: 'forced' | 'refused';
      question?: Question;
      /** Of a model call that failed. */
      usage?: Usage;
      /** MCP servers whose tools the run did not have, and why. */
      missing?: readonly string[];
    };
