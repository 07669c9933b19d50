import type { Finding } from '@schemakit/core';
import { isObject, nearestWord } from '@schemakit/core/internal';
import { expectedPrice, isPrice as isToolPrice } from '../payment/payment-settings.ts';
import { configFinding } from './config-codes.ts';
import { type Fault, schemaFaults } from './schema-faults.ts';

/** What a setting must be. */
interface Rule {
  expected: string;
  fits: (value: unknown) => boolean;
  isRequired?: boolean;
  hint?: string;
  /** What is wrong inside a value that fits. */
  faults?: (value: unknown) => readonly Fault[];
}

export type Rules = Readonly<Record<string, Rule>>;

export const text: Rule = {
  expected: 'a string that is not empty',
  fits: (value) => typeof value === 'string' && value.trim() !== '',
};
const list: Rule = { expected: 'an array', fits: Array.isArray };
const texts: Rule = {
  expected: 'an array of strings',
  fits: (value) => Array.isArray(value) && value.every((part) => typeof part === 'string'),
};
const hosts: Rule = {
  expected: 'an array of host names without ports',
  fits: (value) => Array.isArray(value) && value.every(text.fits),
};
const headerText = (value: unknown, place = ''): Fault[] =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(String(value ?? ''))
    ? []
    : [{ place, expected: 'one line of characters that headers can have', hint: 'Such as value.trim().' }];
const textMap: Rule = {
  expected: 'an object of strings',
  fits: (value) =>
    isObject(value) && Object.values(value).every((part) => part === undefined || typeof part === 'string'),
};
const object: Rule = { expected: 'an object', fits: isObject };
const flag: Rule = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
const listener: Rule = { expected: 'a function', fits: (value) => typeof value === 'function' };
const whole: Rule = {
  expected: 'a whole number from 1',
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};
const above0: Rule = { expected: 'a number above 0', fits: (value) => typeof value === 'number' && value > 0 };
const schemaOfObject = "a JSON Schema of an object: { type: 'object', properties: { … } }";
export const objectSchema: Rule = {
  expected: schemaOfObject,
  fits: isObject,
  faults: (schema) => [
    ...(Object(schema).type === 'object' ? [] : [{ place: '', expected: schemaOfObject }]),
    ...schemaFaults(schema).filter(({ place }) => place !== '.type'),
  ],
};
const httpUrl = (hint: string): Rule => ({
  expected: 'an http or https URL',
  fits: isHttpUrl,
  faults(value) {
    const { username, password } = new URL(String(value));
    return username + password === '' ? [] : [{ place: '', expected: 'a URL without user and password', hint }];
  },
});
const tasks: Rule = {
  expected: "'memory:', 'sqlite:<file>', or an object with a store: { store: new InMemoryTaskStore() }",
  fits: (value) => typeof value === 'string' || (isObject(value) && isTaskStore(value.store)),
};
export const required = (rule: Rule): Rule => ({ ...rule, isRequired: true });

/** What a server that listens by itself has at other paths. */
const serverPaths = ['/sse', '/messages', '/healthz', '/readyz', '/metrics'];

const settingRules: Rules = {
  tasks,
  taskKeys: text,
  routePath: {
    expected: `a path, such as '/mcp', and none of ${serverPaths.join(', ')}`,
    fits: (value) => isPath(value) && !serverPaths.includes(value),
  },
  llm: required(object),
  prices: {
    expected: "prices per million tokens by model: { 'lab/model': { input: 3, output: 15 } }",
    fits: (value) => isObject(value) && Object.values(value).every(isPrice),
  },
  auth: {
    expected: 'a token, a function, or a result of oauthResource',
    fits: (value) =>
      text.fits(value) || typeof value === 'function' || (isObject(value) && listener.fits(value.authenticate)),
  },
  allowedHosts: {
    expected: "an array of host names without ports, or 'any'",
    fits: (value) => value === 'any' || hosts.fits(value),
  },
  allowedOrigins: hosts,
  maxBodyBytes: whole,
  events: flag,
  recordContent: flag,
  clock: listener,
  onEvent: listener,
  onError: listener,
};

export const configRules: Rules = {
  name: required(text),
  version: required(text),
  tools: required({
    expected: 'an array with at least one entry',
    fits: (value) => Array.isArray(value) && value.length > 0,
  }),
  payment: object,
  ...settingRules,
};

export const manifestRules: Rules = {
  manifest: object,
  file: text,
  serverParams: textMap,
  listsDir: text,
  schemas: list,
  execution: object,
  agent: object,
  ...settingRules,
};

export const toolName: Rule = {
  expected: 'at most 64 letters, digits, _ and -',
  fits: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value),
};

export const toolRules: Rules = {
  name: required(toolName),
  description: required(text),
  inputSchema: required(objectSchema),
  agent: required(object),
  toolSources: required(list),
  execution: object,
  price: { expected: expectedPrice, fits: isToolPrice },
};

export const agentRules: Rules = {
  systemPrompt: required(text),
  model: required(text),
  maxRounds: whole,
  maxTokens: whole,
  answerSchema: objectSchema,
  maxTotalTokens: whole,
  maxCost: above0,
  timeoutMs: {
    expected: 'milliseconds from 1 to 2147483647',
    fits: (value) => whole.fits(value) && Number(value) < 2 ** 31,
  },
  concurrency: whole,
  maxToolAnswer: whole,
  contextTokens: whole,
  allowDestructive: flag,
};

export const functionRules: Rules = {
  name: required(text),
  description: required(text),
  inputSchema: required(objectSchema),
  annotations: object,
  execute: required(listener),
};

export const sourceRules: Readonly<Record<string, Rules>> = {
  flowmcp: { type: text, schemas: required(list), serverParams: textMap },
  mcp: {
    type: text,
    url: httpUrl('They belong in headers: { Authorization: … }.'),
    headers: {
      ...textMap,
      faults: (value) => Object.entries(Object(value)).flatMap(([name, part]) => headerText(part, `.${name}`)),
    },
    command: {
      expected: 'an array: the program, then its arguments',
      fits: (value) => texts.fits(value) && (value as []).length > 0,
    },
    allow: texts,
  },
  tools: { type: text, tools: required(list) },
};

const llmUrl = httpUrl('The key belongs in apiKey.');
const queryFaults = (value: unknown): Fault[] =>
  /[?#]/.test(String(value)) ? [{ place: '', expected: 'a URL without query and fragment' }] : [];

export const llmRules: Rules = {
  baseURL: { ...required(llmUrl), faults: (value) => [...(llmUrl.faults?.(value) ?? []), ...queryFaults(value)] },
  apiKey: {
    ...required(text),
    faults: headerText,
    hint: "Is its environment variable set? For a model without keys: 'none'.",
  },
  api: {
    expected: "'anthropic' or 'chat'",
    fits: (value) => value === 'anthropic' || value === 'chat',
    hint: "'anthropic' is for Anthropic Messages, 'chat' for chat completions as OpenAI has them.",
  },
};

/** Checks an object by its rules, and returns it; an empty one if it is no object. */
export function checkFields(value: unknown, rules: Rules, path: string, findings: Finding[]): Record<string, unknown> {
  if (!isObject(value)) {
    findings.push(configFinding('AGS001', path, `${path} must be an object`));
    return {};
  }
  const prefix = path === 'config' || path === 'settings' ? '' : `${path}.`;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(rules, key) || value[key] === undefined) continue;
    const meant = nearestWord(key, Object.keys(rules));
    const hint = meant === undefined ? `There are: ${Object.keys(rules).join(', ')}.` : `Did you mean ${meant}?`;
    findings.push(configFinding('AGS002', `${prefix}${key}`, `${prefix}${key} is not a setting`, hint));
  }
  for (const [key, { expected, fits, faults, hint, isRequired = false }] of Object.entries(rules)) {
    const part = value[key];
    if (part === undefined && isRequired)
      findings.push(configFinding('AGS001', `${prefix}${key}`, `${prefix}${key} is required: ${expected}`, hint));
    if (part === undefined) continue;
    const wrong = fits(part) ? (faults?.(part) ?? []) : [{ place: '', expected, hint }];
    for (const fault of wrong) {
      const place = `${prefix}${key}${fault.place}`;
      findings.push(configFinding('AGS001', place, `${place} must be ${fault.expected}`, fault.hint));
    }
  }
  return value;
}

function isPrice(value: unknown): boolean {
  const { input, output, cachedInput = 0 } = Object(value) as Record<string, unknown>;
  return [input, output, cachedInput].every((price) => typeof price === 'number' && price >= 0);
}

const storeMethods = ['createTask', 'getTask', 'storeTaskResult', 'getTaskResult', 'updateTaskStatus', 'listTasks'];

function isTaskStore(value: unknown): boolean {
  return isObject(value) && storeMethods.every((name) => typeof value[name] === 'function');
}

/** Whether requests can have it: clients resolve `..` and encode other characters. */
function isPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/[^?#\s]*$/.test(value) && URL.parse(`http://x${value}`)?.pathname === value;
}

export function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
