import type { ModelTool, Usage } from '../model/model.ts';
import type { Effect } from './events.ts';

/** The answer of a tool, as the model reads it. */
export interface ToolAnswer {
  text: string;
  isError: boolean;
  /** The whole answer, where `text` is shortened. */
  whole?: string;
  /** What an agent that was the tool has used. */
  usage?: Partial<Usage>;
}

export interface ToolCallContext {
  signal: AbortSignal;
  /** The longest text, in UTF-16 units. */
  maxLength: number;
  /** How many agents are above this call. */
  depth: number;
  /** The same if this call is sent again, for APIs that then do nothing more. */
  idempotencyKey: string;
}

/** A tool that an agent may call. */
export interface AgentTool extends ModelTool {
  effect: Effect;
  /** Never rejects. Checks its arguments. */
  call(args: Record<string, unknown>, context: ToolCallContext): Promise<ToolAnswer>;
}

export function failed(text: string): ToolAnswer {
  return { text, isError: true };
}

/** Waits no longer than until a signal aborts, and rejects with its reason then. */
export async function untilAborted<Value>(waiting: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
