import { isObject, schemaProblems } from '@schemakit/core/internal';
import { expectedPrice, isPrice as isToolPrice, paymentProblems } from '../payment/payment-settings.ts';
import { type Fault, fieldFaults, itemFaults, type Rule, type Rules } from './faults.ts';
import { schemaFaults } from './schema-faults.ts';

const required = (rule: Rule): Rule => ({ ...rule, isRequired: true });
const isText = (value: unknown): value is string => typeof value === 'string';

const text: Rule = { expected: 'a string that is not empty', fits: (value) => isText(value) && value.trim() !== '' };
const flag: Rule = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
const listener: Rule = { expected: 'a function', fits: (value) => typeof value === 'function' };
const object: Rule = { expected: 'an object', fits: isObject };
const list: Rule = { expected: 'an array', fits: Array.isArray };
const whole: Rule = {
  expected: 'a whole number from 1',
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};
const wholeFrom0: Rule = {
  expected: 'a whole number from 0',
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
const priority: Rule = {
  expected: 'a whole number from 0 to 9',
  fits: (value) => wholeFrom0.fits(value) && Number(value) <= 9,
};
/** Longer ones would overflow a timer, and end at once. */
const dayMs = 86_400_000;
const grace: Rule = {
  expected: `milliseconds from 0 to ${dayMs}`,
  fits: (value) => wholeFrom0.fits(value) && Number(value) <= dayMs,
};
const listOf = (expected: string, fits: Rule['fits']): Rule => ({
  expected,
  fits: (value) => Array.isArray(value) && value.every(fits),
});
const hosts = listOf('an array of host names without ports', text.fits);
const textMap: Rule = {
  expected: 'an object of strings',
  fits: (value) => isObject(value) && Object.values(value).every((part) => part === undefined || isText(part)),
};
const headerFaults = (value: unknown, place = ''): Fault[] =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(String(value ?? ''))
    ? []
    : [{ place, problem: 'must be one line of characters that headers can have', hint: 'Such as value.trim().' }];
const schemaOfObject = "a JSON Schema of an object: { type: 'object', properties: { … } }";
export const objectSchema: Rule = {
  expected: schemaOfObject,
  fits: isObject,
  faults: (schema) => [
    ...(Object(schema).type === 'object' ? [] : [{ place: '', problem: `must be ${schemaOfObject}` }]),
    ...schemaFaults(schema).filter(({ place }) => place !== '.type'),
  ],
};
const urlFaults = (value: unknown, hint: string): Fault[] => {
  const { username, password } = new URL(String(value));
  return username + password === '' ? [] : [{ place: '', problem: 'must be a URL without user and password', hint }];
};
const httpUrl = { expected: 'an http or https URL', fits: isHttpUrl };

const llmRules: Rules = {
  baseURL: {
    ...required(httpUrl),
    faults: (value) => [
      ...urlFaults(value, 'The key belongs in apiKey.'),
      ...(/[?#]/.test(String(value)) ? [{ place: '', problem: 'must be a URL without query and fragment' }] : []),
    ],
  },
  apiKey: {
    ...required(text),
    faults: (value) => headerFaults(value),
    hint: "Is its environment variable set? For a model without keys: 'none'.",
  },
  api: {
    expected: "'anthropic' or 'chat'",
    fits: (value) => value === 'anthropic' || value === 'chat',
    hint: "'anthropic' is for Anthropic Messages, 'chat' for chat completions as OpenAI has them.",
  },
};

const rateLimit: Rule = {
  expected: 'requests per milliseconds: { requests: 60, perMs: 60_000 }',
  fits: (value) => [Object(value).requests, Object(value).perMs].every(whole.fits),
};

function llmFaults(llm: unknown): Fault[] {
  const { model } = Object(llm) as { model?: unknown };
  if (model === undefined) return fieldFaults(llm, { ...llmRules, rateLimit });
  const hint =
    "Such as anthropic('claude-sonnet-5') of @ai-sdk/anthropic. A name alone would go to a gateway of the AI SDK.";
  const isModel = listener.fits(Object(model).doGenerate);
  const { rateLimit: limit } = Object(llm) as { rateLimit?: unknown };
  if (isModel) return fieldFaults({ rateLimit: limit }, { rateLimit });
  return [{ place: '.model', problem: 'must be a model object of the AI SDK', hint }];
}

/** What a server that listens by itself has at other paths. */
const serverPaths = ['/sse', '/messages', '/healthz', '/readyz', '/metrics'];

const settingRules: Rules = {
  tasks: {
    expected:
      "'memory:', 'sqlite:<file>', 'redis://<host>', 'postgres://<host>/<database>', or an object with a store: { store: new InMemoryTaskStore() }",
    fits: (value) => isText(value) || isTaskStore(Object(value).store),
  },
  taskKeys: text,
  maxRuns: wholeFrom0,
  maxWaiting: whole,
  graceMs: grace,
  routePath: {
    expected: `a path, such as '/mcp', and none of ${serverPaths.join(', ')}`,
    fits: (value) => isPath(value) && !serverPaths.includes(value),
  },
  prices: {
    expected: "prices per million tokens by model: { 'lab/model': { input: 3, output: 15 } }",
    fits: (value) => isObject(value) && Object.values(value).every(isPrice),
  },
  auth: {
    expected: 'a token, a function, or a result of oauthResource',
    fits: (value) => [value, Object(value).authenticate].some(listener.fits) || text.fits(value),
  },
  allowedHosts: {
    expected: "an array of host names without ports, or 'any'",
    fits: (value) => value === 'any' || hosts.fits(value),
  },
  allowedOrigins: hosts,
  maxBodyBytes: whole,
  events: {
    ...flag,
    faults: (value, { auth }) =>
      value === true && auth === undefined
        ? [{ place: '', problem: 'needs auth', hint: 'Set auth, so that callers see only their own runs.' }]
        : [],
  },
  recordContent: flag,
  apps: flag,
  clock: listener,
  onEvent: listener,
  onError: listener,
  llm: { ...required(object), faults: llmFaults },
};

const limitRules: Rules = {
  maxRounds: whole,
  maxTokens: whole,
  answerSchema: objectSchema,
  maxTotalTokens: whole,
  maxCost: { expected: 'a number above 0', fits: (value) => typeof value === 'number' && value > 0 },
  timeoutMs: {
    expected: 'milliseconds from 1 to 2147483647',
    fits: (value) => whole.fits(value) && Number(value) < 2 ** 31,
  },
  concurrency: whole,
  maxToolAnswer: whole,
  contextTokens: whole,
  allowDestructive: flag,
};

const execution: Rule = {
  ...object,
  faults: (value) =>
    ['optional', 'required'].includes(Object(value).taskSupport)
      ? []
      : [
          {
            place: '.taskSupport',
            problem: "must be 'optional' or 'required'",
            hint: 'Leave execution out for a tool that never runs as a task.',
          },
        ],
};

const schemas: Rule = {
  ...list,
  faults: (value) =>
    itemFaults(value, (schema) =>
      schemaProblems(schema).map(({ message, hint }) => {
        return { code: 'AGS004', place: '', problem: `cannot be used: ${message}`, hint };
      }),
    ),
};

const functionRules: Rules = {
  name: required(text),
  description: required(text),
  inputSchema: required(objectSchema),
  annotations: object,
  execute: required(listener),
};

const sourceRules: Readonly<Record<string, Rules>> = {
  flowmcp: { type: text, schemas: required(schemas), serverParams: textMap },
  mcp: {
    type: text,
    url: { ...httpUrl, faults: (value) => urlFaults(value, 'They belong in headers: { Authorization: … }.') },
    headers: {
      ...textMap,
      faults: (value) => Object.entries(Object(value)).flatMap(([name, part]) => headerFaults(part, `.${name}`)),
    },
    command: {
      expected: 'an array: the program, then its arguments',
      fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
    },
    allow: listOf('an array of strings', isText),
  },
  tools: {
    type: text,
    tools: required({ ...list, faults: (tools) => itemFaults(tools, (tool) => fieldFaults(tool, functionRules)) }),
  },
};

function sourceFaults(source: unknown): Fault[] {
  const { type, url, command } = Object(source) as Record<string, unknown>;
  const rules = isText(type) && Object.hasOwn(sourceRules, type) ? sourceRules[type] : undefined;
  if (rules === undefined)
    return [{ place: '.type', problem: `must be 'flowmcp', 'mcp' or 'tools', and is ${JSON.stringify(type)}` }];
  const isOneOfBoth = type !== 'mcp' || (url === undefined) !== (command === undefined);
  return [
    ...fieldFaults(source, rules),
    ...(isOneOfBoth ? [] : [{ place: '', problem: 'needs either url or command' }]),
  ];
}

const agentRules: Rules = { systemPrompt: required(text), model: required(text), ...limitRules };

export const toolName: Rule = {
  expected: 'at most 64 letters, digits, _ and -',
  fits: (value) => isText(value) && /^[A-Za-z0-9_-]{1,64}$/.test(value),
};

const toolRules: Rules = {
  name: required(toolName),
  description: required(text),
  inputSchema: required(objectSchema),
  agent: { ...required(object), faults: (agent) => fieldFaults(agent, agentRules) },
  execution,
  priority,
  toolSources: { ...required(list), faults: (sources) => itemFaults(sources, sourceFaults) },
  price: { expected: expectedPrice, fits: isToolPrice },
};

export const howToBePaid =
  "Such as payment: { facilitator: { url: 'https://x402.org/facilitator' }, payTo: '0x…', network: 'eip155:8453' }.";

const someEntries = {
  expected: 'an array with at least one entry',
  fits: (value: unknown) => Array.isArray(value) && value.length > 0,
};

export const configRules: Rules = {
  name: required(text),
  version: required(text),
  payment: {
    ...object,
    faults: (payment) => paymentProblems(payment).map(([place, problem]) => ({ place, problem, hint: howToBePaid })),
  },
  ...settingRules,
  tools: { ...required(someEntries), faults: (tools) => itemFaults(tools, (tool) => fieldFaults(tool, toolRules)) },
};

/** Of what `fromManifests` has beside the settings of `fromManifest`. */
export const manifestsRules: Rules = { name: required(text), version: required(text), agents: required(someEntries) };

export const manifestRules: Rules = {
  manifest: object,
  file: text,
  serverParams: textMap,
  listsDir: text,
  ...settingRules,
  agent: { ...object, faults: (agent) => fieldFaults(agent, { ...limitRules, model: text }) },
  execution,
  priority,
  schemas,
};

function isPrice(value: unknown): boolean {
  const { input, output, cachedInput = 0 } = Object(value) as Record<string, unknown>;
  return [input, output, cachedInput].every((price) => typeof price === 'number' && price >= 0);
}

function isTaskStore(value: unknown): boolean {
  const methods = ['createTask', 'getTask', 'storeTaskResult', 'getTaskResult', 'updateTaskStatus', 'listTasks'];
  return isObject(value) && methods.every((name) => typeof value[name] === 'function');
}

/** Whether requests can have it: clients resolve `..` and encode other characters. */
function isPath(value: unknown): value is string {
  return isText(value) && /^\/[^?#\s]*$/.test(value) && URL.parse(`http://x${value}`)?.pathname === value;
}

export function isHttpUrl(value: unknown): boolean {
  return isText(value) && /^https?:$/.test(URL.parse(value)?.protocol ?? '');
}
