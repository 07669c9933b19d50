import type { Isolation } from '../parameters.ts';

/** Flags of the commands that serve MCP. */
export interface ServingFlags {
  group?: readonly string[];
  namespace?: readonly string[];
  tag?: readonly string[];
  lock?: string;
  /** Where handlers run. */
  isolation: Isolation;
  discovery: 'all' | 'search';
  pin?: readonly string[];
  select?: readonly string[];
  selectArgument: boolean;
  structured: 'both' | 'only';
  maxAnswer?: number;
  concurrency: number;
  rate: number;
  timeout?: number;
  cache: boolean;
  watch: boolean;
  logLevel: LogLevel;
}

/** Which calls are logged: all, those that failed, or none. */
export type LogLevel = 'info' | 'error' | 'silent';
