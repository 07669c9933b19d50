import type { CallResult, ServedTool } from '../offer/offer.ts';

/** What a call brings with it beside its arguments. */
export interface CallContext {
  signal: AbortSignal;
  /** `_meta` of the request. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** The part of the answer that the caller wants: a JMESPath expression. */
  select?: string;
  /** Takes a text on each step of the call; present where the client asked for it. */
  onProgress?: (message: string) => void;
}

/** Calls a tool. Servers put theirs together from several of these, each around the next. Never throws. */
export type CallTool = (tool: ServedTool, args: Record<string, unknown>, context: CallContext) => Promise<CallResult>;

/** The innermost one. */
export const callTool: CallTool = (tool, args, { signal, onProgress }) => tool.call(args, { signal, onProgress });
