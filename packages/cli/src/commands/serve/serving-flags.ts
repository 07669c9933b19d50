import type { CommandContext, FlagParametersForType } from '@stricli/core';
import { groupFlag, type Isolation, isolationFlag, lockFlag, notEmpty } from '../parameters.ts';

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

/** @param logLevel Its default. */
export function servingFlags(logLevel: 'info' | 'silent'): FlagParametersForType<ServingFlags, CommandContext> {
  return {
    group: { ...groupFlag, variadic: true, brief: 'A group to serve; by default the default group' },
    namespace: several('A namespace to serve', 'name'),
    tag: several('A tag of schemas to serve', 'tag'),
    lock: lockFlag,
    isolation: isolationFlag,
    discovery: choice('List all tools, or three with which a model searches them', ['all', 'search'], 'all'),
    pin: several('With --discovery search: a tool to list too', 'tool'),
    selectArgument: flag('Let callers ask for a part of an answer: one more argument, select', false),
    structured: choice('Answer structured data as text too, or only structured', ['both', 'only'], 'both'),
    select: several('The part of the answers of a tool that is wanted, in JMESPath', 'tool=expression'),
    maxAnswer: count('How long an answer may be, in characters', 'count', { min: 100 }),
    concurrency: {
      ...number('How many requests an API gets at a time', 'count', { min: 1, max: 1024 }),
      default: '16',
    },
    rate: {
      ...number('How many requests an API gets in a second; 0 for any number', 'count', { max: 10_000 }),
      default: '0',
    },
    timeout: count('How long a call may take, in milliseconds', 'ms', { min: 1, max: 3_600_000 }),
    cache: flag('Keep answers of tools with preload', true),
    watch: flag('Load schemas anew when their files change', true),
    logLevel: choice('Which calls to log on stderr', ['info', 'error', 'silent'], logLevel),
  };
}

export function flag(brief: string, value: boolean): { kind: 'boolean'; brief: string; default: boolean } {
  return { kind: 'boolean', brief, default: value };
}

interface Parsed<Value> {
  kind: 'parsed';
  parse: (given: string) => Value;
  brief: string;
  placeholder: string;
}

export function text(brief: string, placeholder: string, value: string): Parsed<string> & { default: string } {
  return { kind: 'parsed', parse: notEmpty, brief, placeholder, default: value };
}

export function optional(brief: string, placeholder: string): Parsed<string> & { optional: true } {
  return { kind: 'parsed', parse: notEmpty, optional: true, brief, placeholder };
}

export function several(brief: string, placeholder: string): Parsed<string> & { optional: true; variadic: true } {
  return { kind: 'parsed', parse: notEmpty, optional: true, variadic: true, brief, placeholder };
}

function choice<const Values extends readonly string[]>(brief: string, values: Values, value: Values[number]) {
  return { kind: 'enum', values, brief, default: value } as const;
}

export function count(
  brief: string,
  placeholder: string,
  range: { min: number; max?: number },
): Parsed<number> & { optional: true } {
  return { ...number(brief, placeholder, range), optional: true };
}

export function number(
  brief: string,
  placeholder: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): Parsed<number> {
  const parse = (given: string) => {
    const value = Number(given);
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new Error(`expected a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`);
  };
  return { kind: 'parsed', parse, brief, placeholder };
}
