import type { CommandContext, FlagParametersForType } from '@stricli/core';
import {
  envFileFlag,
  environmentFlags,
  groupFlag,
  type Isolation,
  isolationFlag,
  lockFlag,
  negatable,
  numberFlag,
  optionalNumber,
  textsFlag,
  yesNo,
} from '../parameters.ts';

export interface ServingFlags {
  group?: readonly string[];
  namespace?: readonly string[];
  tag?: readonly string[];
  lock?: string;
  envFile?: string;
  env?: string;
  yes: boolean;
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
  confirmWrites?: 'ask' | 'required';
  apps: boolean;
  cache: boolean;
  watch: boolean;
  logLevel: LogLevel;
}

export type LogLevel = 'info' | 'error' | 'silent';

export function servingFlags(logLevel: 'info' | 'silent'): FlagParametersForType<ServingFlags, CommandContext> {
  return {
    group: { ...groupFlag, variadic: true, brief: 'Group to serve (default: the default group)' },
    namespace: textsFlag('Serve only this namespace', 'name'),
    tag: textsFlag('Serve only schemas with this tag', 'tag'),
    ...environmentFlags,
    envFile: envFileFlag,
    lock: lockFlag,
    isolation: isolationFlag,
    discovery: choice('List all tools, or only tools to search and call them', ['all', 'search'], 'all'),
    pin: textsFlag('With --discovery search: list this tool as well', 'tool'),
    selectArgument: yesNo('Add an argument "select" to each tool: a JMESPath expression that filters the result'),
    structured: choice('Return structured data also as text, or only as structured content', ['both', 'only'], 'both'),
    select: textsFlag('Filter the results of a tool with a JMESPath expression', 'tool=expression'),
    maxAnswer: optionalNumber('Maximum length of a result, in characters', 'count', { min: 100 }),
    concurrency: numberFlag('Maximum concurrent requests to an API', 'count', { min: 1, max: 1024, value: 16 }),
    rate: numberFlag('Maximum requests per second to an API; 0 for no limit', 'count', { max: 10_000, value: 0 }),
    timeout: optionalNumber('Timeout of a call, in milliseconds', 'ms', { min: 1, max: 3_600_000 }),
    confirmWrites: {
      kind: 'enum',
      values: ['ask', 'required'],
      optional: true,
      brief: "Ask the client's user before calls that may write; without elicitation: ask goes on, required refuses",
    },
    apps: negatable('Show no pages in hosts of MCP Apps'),
    cache: negatable('Do not cache answers of tools with `preload`'),
    watch: negatable('Do not reload schemas when their files change'),
    logLevel: choice('Calls to log on stderr', ['info', 'error', 'silent'], logLevel),
  };
}

function choice<const Values extends readonly string[]>(brief: string, values: Values, value: Values[number]) {
  return { kind: 'enum', values, brief, default: value } as const;
}
