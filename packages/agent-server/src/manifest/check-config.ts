import type { Finding } from '@schemakit/core';
import { isObject, nearestWord, schemaProblems } from '@schemakit/core/internal';
import { isOpenRouter } from '../model/open-model.ts';
import { configFinding } from './config-codes.ts';

/** Thrown for an invalid configuration, with all of its faults. */
export class AgentConfigError extends Error {
  readonly findings: readonly Finding[];

  constructor(method: string, findings: readonly Finding[]) {
    super(`${method}: ${findings.map(({ message }) => message).join('; ')}`);
    this.name = 'AgentConfigError';
    this.findings = findings;
  }
}

/** What a setting must be. */
interface Rule {
  expected: string;
  fits: (value: unknown) => boolean;
  isRequired?: boolean;
}

type Rules = Readonly<Record<string, Rule>>;

const text: Rule = {
  expected: 'a string that is not empty',
  fits: (value) => typeof value === 'string' && value.trim() !== '',
};
const list: Rule = { expected: 'an array', fits: Array.isArray };
const texts: Rule = {
  expected: 'an array of strings',
  fits: (value) => Array.isArray(value) && value.every((part) => typeof part === 'string'),
};
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
const objectSchema: Rule = {
  expected: "a JSON Schema of an object: { type: 'object', properties: { … } }",
  fits: (value) => isObject(value) && value.type === 'object',
};
const required = (rule: Rule): Rule => ({ ...rule, isRequired: true });

const settingRules: Rules = {
  routePath: {
    expected: "a path, such as '/mcp'",
    fits: (value) => typeof value === 'string' && /^\/[^?#\s]*$/.test(value),
  },
  llm: required(object),
  prices: {
    expected: "prices per million tokens by model: { 'lab/model': { input: 3, output: 15 } }",
    fits: (value) => isObject(value) && Object.values(value).every(isPrice),
  },
  auth: {
    expected: 'a token, a function, or a result of oauthResource',
    fits: (value) => text.fits(value) || typeof value === 'function' || isObject(value),
  },
  allowedHosts: texts,
  allowedOrigins: texts,
  maxBodyBytes: whole,
  events: flag,
  recordContent: flag,
  clock: listener,
  onEvent: listener,
  onError: listener,
};

const configRules: Rules = {
  name: required(text),
  version: required(text),
  tools: required({
    expected: 'an array with at least one entry',
    fits: (value) => Array.isArray(value) && value.length > 0,
  }),
  tasks: object,
  ...settingRules,
};

const manifestRules: Rules = {
  manifest: object,
  file: text,
  serverParams: textMap,
  listsDir: text,
  schemas: list,
  execution: object,
  tasks: object,
  agent: object,
  ...settingRules,
};

const toolRules: Rules = {
  name: required({
    expected: 'at most 64 letters, digits, _ and -',
    fits: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value),
  }),
  description: required(text),
  inputSchema: required(objectSchema),
  agent: required(object),
  toolSources: required(list),
  execution: object,
};

const agentRules: Rules = {
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

const functionRules: Rules = {
  name: required(text),
  description: required(text),
  inputSchema: required(objectSchema),
  annotations: object,
  execute: required(listener),
};

const sourceRules: Readonly<Record<string, Rules>> = {
  flowmcp: { type: text, schemas: required(list), serverParams: textMap },
  mcp: {
    type: text,
    url: { expected: 'an http or https address', fits: isHttpUrl },
    headers: textMap,
    command: {
      expected: 'an array: the program, then its arguments',
      fits: (value) => texts.fits(value) && (value as []).length > 0,
    },
    allow: texts,
  },
  tools: { type: text, tools: required(list) },
};

/** All faults of the settings of `AgentToolsServer.create`. */
export function checkConfig(config: unknown): Finding[] {
  const findings: Finding[] = [];
  const tools = checkFields(config, configRules, 'config', findings).tools;
  checkShared(config, findings);
  const given: readonly unknown[] = Array.isArray(tools) ? tools : [];
  for (const [index, tool] of given.entries()) {
    checkTool(tool, `tools[${index}]`, findings);
    const { agent } = Object(tool) as { agent?: unknown };
    checkMaxCost(Object(agent), { settings: Object(config), path: `tools[${index}].agent`, findings });
  }
  const names = given.map((tool) => (Object(tool) as { name?: unknown }).name);
  checkNames(names, (index) => `tools[${index}].name`, findings);
  return findings;
}

/** All faults of the settings of `AgentToolsServer.fromManifest`. */
export function checkManifestSettings(settings: unknown): Finding[] {
  const findings: Finding[] = [];
  const { manifest, file } = checkFields(settings, manifestRules, 'settings', findings);
  if ((manifest === undefined) === (file === undefined))
    findings.push(
      configFinding('AGS001', 'manifest', 'either manifest or file is required', "Pass file: 'agents/name/agent.mjs'."),
    );
  const { agent, execution, schemas } = Object(settings) as Record<string, unknown>;
  checkShared(settings, findings);
  const { systemPrompt, ...limits } = agentRules;
  if (agent !== undefined) checkFields(agent, { ...limits, model: text }, 'agent', findings);
  checkExecution(execution, 'execution', findings);
  checkSchemas(schemas, 'schemas', findings);
  return findings;
}

/** The faults of what `AgentToolsServer.fromManifests` has beside the settings of `fromManifest`. */
export function checkManifestsSettings(settings: unknown): Finding[] {
  const findings: Finding[] = [];
  const { name, version, agents } = Object(settings) as Record<string, unknown>;
  const { tools } = configRules;
  const rules: Rules = { name: required(text), version: required(text), ...(tools && { agents: tools }) };
  checkFields({ name, version, agents }, rules, 'settings', findings);
  return findings;
}

/** Reports names of tools that are used twice. */
export function checkNames(names: readonly unknown[], pathOf: (index: number) => string, findings: Finding[]): void {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const message = `${pathOf(index)} ${String(name)} is used twice`;
    findings.push(configFinding('AGS003', pathOf(index), message, 'Names of tools are unique.'));
  }
}

/** Reports a limit of cost that could never be reached, because nothing says what the model costs. */
export function checkMaxCost(
  { model, maxCost }: { model?: unknown; maxCost?: unknown },
  {
    settings: { llm, prices },
    path,
    findings,
  }: { settings: { llm?: unknown; prices?: unknown }; path: string; findings: Finding[] },
): void {
  const { baseURL } = Object(llm) as { baseURL?: unknown };
  // Model objects and OpenRouter report costs themselves.
  if (maxCost === undefined || !isHttpUrl(baseURL) || isOpenRouter(new URL(String(baseURL)).hostname)) return;
  if (Object.hasOwn(Object(prices), String(model))) return;
  const message = `${path}.maxCost needs the prices of ${String(model)}`;
  const hint = `Set prices: { '${String(model)}': { input, output } }, per million tokens; only OpenRouter reports costs itself.`;
  findings.push(configFinding('AGS001', `${path}.maxCost`, message, hint));
}

/** Checks what the settings of all servers have. */
function checkShared(settings: unknown, findings: Finding[]): void {
  const { llm, events, auth } = Object(settings) as Record<string, unknown>;
  if (events === true && auth === undefined)
    findings.push(
      configFinding('AGS001', 'events', 'events needs auth', 'Set auth, so that callers see only their own runs.'),
    );
  if (!isObject(llm)) return;
  if (llm.model !== undefined) {
    const { doGenerate } = Object(llm.model) as { doGenerate?: unknown };
    const hint =
      "Such as anthropic('claude-sonnet-5') of @ai-sdk/anthropic. A name alone would go to a gateway of the AI SDK.";
    if (typeof doGenerate !== 'function')
      findings.push(configFinding('AGS001', 'llm.model', 'llm.model must be a model object of the AI SDK', hint));
    return;
  }
  const rules: Rules = {
    baseURL: required({ expected: 'an http or https address', fits: isHttpUrl }),
    apiKey: required(text),
    api: { expected: "'anthropic' or 'chat'", fits: (value) => value === 'anthropic' || value === 'chat' },
  };
  checkFields(llm, rules, 'llm', findings);
}

function checkTool(tool: unknown, path: string, findings: Finding[]): void {
  const { agent, toolSources, execution } = checkFields(tool, toolRules, path, findings);
  if (isObject(agent)) checkFields(agent, agentRules, `${path}.agent`, findings);
  checkExecution(execution, `${path}.execution`, findings);
  for (const [index, source] of (Array.isArray(toolSources) ? toolSources : []).entries())
    checkSource(source, `${path}.toolSources[${index}]`, findings);
}

function checkExecution(execution: unknown, path: string, findings: Finding[]): void {
  const { taskSupport } = Object(execution) as { taskSupport?: unknown };
  if (execution === undefined || taskSupport === 'optional' || taskSupport === 'required') return;
  const message = `${path}.taskSupport must be 'optional' or 'required'`;
  findings.push(configFinding('AGS001', `${path}.taskSupport`, message));
}

function checkSchemas(schemas: unknown, path: string, findings: Finding[]): void {
  for (const [index, schema] of (Array.isArray(schemas) ? schemas : []).entries())
    for (const { message, hint } of schemaProblems(schema)) {
      const place = `${path}[${index}]`;
      findings.push(configFinding('AGS004', place, `${place} cannot be used: ${message}`, hint));
    }
}

function checkSource(source: unknown, path: string, findings: Finding[]): void {
  const { type, url, command, schemas, tools } = Object(source) as Record<string, unknown>;
  const rules = typeof type === 'string' && Object.hasOwn(sourceRules, type) ? sourceRules[type] : undefined;
  if (rules === undefined) {
    findings.push(
      configFinding(
        'AGS001',
        `${path}.type`,
        `${path}.type must be 'flowmcp', 'mcp' or 'tools', and is ${JSON.stringify(type)}`,
      ),
    );
    return;
  }
  checkFields(source, rules, path, findings);
  if (type === 'mcp' && (url === undefined) === (command === undefined))
    findings.push(configFinding('AGS001', path, `${path} needs either url or command`));
  checkSchemas(schemas, `${path}.schemas`, findings);
  if (type !== 'tools') return;
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries())
    checkFields(tool, functionRules, `${path}.tools[${index}]`, findings);
}

function checkFields(value: unknown, rules: Rules, path: string, findings: Finding[]): Record<string, unknown> {
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
  for (const [key, { expected, fits, isRequired = false }] of Object.entries(rules)) {
    const part = value[key];
    if (part === undefined && isRequired)
      findings.push(configFinding('AGS001', `${prefix}${key}`, `${prefix}${key} is required: ${expected}`));
    else if (part !== undefined && !fits(part))
      findings.push(configFinding('AGS001', `${prefix}${key}`, `${prefix}${key} must be ${expected}`));
  }
  return value;
}

function isPrice(value: unknown): boolean {
  const { input, output, cachedInput = 0 } = Object(value) as Record<string, unknown>;
  return [input, output, cachedInput].every((price) => typeof price === 'number' && price >= 0);
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
