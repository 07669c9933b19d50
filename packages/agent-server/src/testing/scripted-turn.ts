/** A call of a tool that the scripted model asks for. */
export interface ScriptedCall {
  name: string;
  /** Usually an object. Anything else is sent as it is, as models sometimes do. */
  args?: unknown;
  /** Default: a new one. */
  id?: string;
}

/** Tokens that the scripted model reports. */
export interface ScriptedUsage {
  /** With the cached ones. Default: 100. */
  inputTokens?: number;
  /** Default: 20. */
  outputTokens?: number;
  /** The part of `inputTokens` that came from the cache. Default: 0. */
  cachedTokens?: number;
}

/** What the scripted model answers to one request. */
export interface ScriptedTurn {
  text?: string;
  calls?: readonly ScriptedCall[];
  usage?: ScriptedUsage;
  /** The answer ends at the token limit: its last call arrives incomplete. */
  cutOff?: boolean;
}

/** What goes wrong with one request. */
export interface ScriptedFault {
  /** HTTP status of an error, such as 429, 500 or 529. Uses up no turn, like `cut`. */
  status?: number;
  /** The header `Retry-After` beside `status`: seconds or an HTTP date. */
  retryAfter?: number | string;
  /** Waits before the answer, in milliseconds. */
  delayMs?: number;
  /** Closes the connection: before the answer, or in the middle of it. */
  cut?: 'before' | 'middle';
  /** Breaks the arguments of each call: no valid JSON where they travel as text, otherwise a string instead of an object. */
  malformedArguments?: boolean;
  /** As `cutOff` of a turn. */
  cutOff?: boolean;
}
