/** What an option of a server has to be, and what to do about one that is something else. */
export interface OptionRule {
  expected: string;
  fits(value: unknown): boolean;
  hint: string;
  /** The rules of what is in it, where it is an object. */
  parts?: OptionRules;
}

/** Rules by the names of options. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

/** The longest that a timer of Node.js can wait. */
const longestMs = 2 ** 31 - 1;

const text: OptionRule = { expected: 'text', fits: isText, hint: 'Give text that is not empty.' };
const flag: OptionRule = {
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
  hint: 'Leave it out for false.',
};
export const listener: OptionRule = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
  hint: 'Leave it out where nobody is to be told.',
};
const list = (of: string): OptionRule => ({
  expected: `an array of ${of}`,
  fits: (value) => Array.isArray(value),
  hint: 'Leave it out for none.',
});
export const wholeFrom = (least: number, standard: string): OptionRule => ({
  expected: `a whole number from ${least}`,
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  hint: `Leave it out for ${standard}.`,
});

const numberFrom = (least: number, standard: string): OptionRule => ({
  expected: `a number from ${least}`,
  fits: (value) => typeof value === 'number' && value >= least,
  hint: `Leave it out for ${standard}.`,
});

const breakerRules: OptionRules = {
  failures: numberFrom(1, '5'),
  pauseMs: numberFrom(1, '10,000 milliseconds'),
  maxPauseMs: numberFrom(1, '300,000 milliseconds'),
};

const upstreamRules: OptionRules = {
  concurrency: numberFrom(1, '16'),
  requestsPerSecond: {
    expected: 'a number above 0',
    fits: (value) => typeof value === 'number' && value > 0,
    hint: 'Leave it out for any number of requests.',
  },
  burst: numberFrom(1, 'the requests of a second'),
  maxQueue: numberFrom(0, '1,000'),
  maxWaitMs: numberFrom(0, '10,000 milliseconds'),
  breaker: {
    expected: 'an object of limits, or false',
    fits: (value) => value === false || isObject(value),
    hint: 'Such as { failures: 3 }.',
    parts: breakerRules,
  },
  singleFlight: { ...flag, hint: 'Leave it out for true.' },
  cache: {
    expected: 'an object with the functions salt, read and write, or false',
    fits: (value) =>
      value === false || ['salt', 'read', 'write'].every((name) => typeof Object(value)[name] === 'function'),
    hint: 'Leave it out to keep answers in memory.',
  },
  onUpstream: listener,
  onBreaker: listener,
  watch: listener,
};

/** The rules of the options of servers of every transport. */
export const servingRules: OptionRules = {
  name: text,
  version: text,
  instructions: text,
  tools: list('tools'),
  prompts: list('prompts'),
  resources: list('resources'),
  offer: {
    expected: 'an offer of createLiveOffer',
    fits: (value) => isObject(value) && 'current' in value,
    hint: 'Give tools, prompts and resources in its place, where they do not change.',
  },
  discovery: {
    expected: 'true, false or { pinned }, an array of MCP names of tools',
    fits: (value) => typeof value === 'boolean' || hasOnly(value, ['pinned'], isTextArray),
    hint: 'Use true to put a search in place of the list.',
  },
  maxAnswerLength: {
    expected: 'a number from 1',
    fits: (value) => typeof value === 'number' && value >= 1,
    hint: 'Leave it out for 100,000.',
  },
  structured: {
    expected: "'both' or 'only'",
    fits: (value) => value === 'both' || value === 'only',
    hint: "Leave it out for 'both'.",
  },
  select: {
    expected: 'an object of JMESPath expressions by the MCP names of tools',
    fits: (value) => isObject(value) && Object.values(value).every(isText),
    hint: "Such as { tides__getTides: 'tides[].time' }.",
  },
  selectArgument: flag,
  pageSize: wholeFrom(1, '1,000'),
  listTtlMs: wholeFrom(0, '60,000 milliseconds'),
  upstream: {
    expected: 'an object of limits',
    fits: isObject,
    hint: 'Such as { concurrency: 4 }.',
    parts: upstreamRules,
  },
  timeoutMs: {
    expected: `milliseconds from 1 to ${longestMs}`,
    fits: (value) => typeof value === 'number' && value >= 1 && value <= longestMs,
    hint: 'Leave it out for no limit of its own.',
  },
  onCall: listener,
  onError: listener,
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isTextArray(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

export function hasOnly(value: unknown, names: readonly string[], fits: (part: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, part]) => names.includes(name) && (part === undefined || fits(part)));
}
