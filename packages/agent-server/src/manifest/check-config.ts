import type { Finding } from '@schemakit/core';
import { isObject, schemaProblems } from '@schemakit/core/internal';
import { contextTokensOf } from '../model/context-tokens.ts';
import { isOpenRouter } from '../model/open-model.ts';
import { paymentProblems } from '../payment/payment-settings.ts';
import { givenStoreKeys } from '../store/store-keys.ts';
import { parseStoreUrl } from '../store/store-url.ts';
import { configFinding } from './config-codes.ts';
import {
  agentRules,
  checkFields,
  configRules,
  functionRules,
  isHttpUrl,
  llmRules,
  manifestRules,
  type Rules,
  required,
  sourceRules,
  text,
  toolRules,
} from './config-rules.ts';

/** Thrown for an invalid configuration, with all of its errors. */
export class AgentConfigError extends Error {
  readonly findings: readonly Finding[];

  constructor(method: string, findings: readonly Finding[]) {
    const lines = findings.map(({ message, hint }) => (hint === undefined ? message : `${message}. ${hint}`));
    super(`${method}: ${lines.length === 1 ? lines[0] : ['', ...lines].join('\n- ')}`);
    this.name = 'AgentConfigError';
    this.findings = findings;
  }
}

/** All errors of the settings of `AgentToolsServer.create`. */
export function checkConfig(config: unknown): Finding[] {
  const findings: Finding[] = [];
  const tools = checkFields(config, configRules, 'config', findings).tools;
  checkShared(config, findings);
  const given: readonly unknown[] = Array.isArray(tools) ? tools : [];
  for (const [index, tool] of given.entries()) {
    checkTool(tool, `tools[${index}]`, findings);
    const { agent } = Object(tool) as { agent?: unknown };
    checkLimits(Object(agent), { settings: Object(config), path: `tools[${index}].agent`, findings });
  }
  const names = given.map((tool) => (Object(tool) as { name?: unknown }).name);
  checkNames(names, (index) => `tools[${index}].name`, findings);
  checkPayment(given, Object(config).payment, findings);
  return findings;
}

function checkPayment(tools: readonly unknown[], payment: unknown, findings: Finding[]): void {
  const priced = tools.findIndex((tool) => Object(tool).price !== undefined);
  if (priced >= 0 && payment === undefined)
    findings.push(configFinding('AGS001', 'payment', `payment is required for tools[${priced}].price`, howToBePaid));
  for (const [path, problem] of isObject(payment) ? paymentProblems(payment) : [])
    findings.push(configFinding('AGS001', `payment${path}`, `payment${path} ${problem}`, howToBePaid));
}

const howToBePaid =
  "Such as payment: { facilitator: { url: 'https://x402.org/facilitator' }, payTo: '0x…', network: 'eip155:8453' }.";

/** All errors of the settings of `AgentToolsServer.fromManifest`. */
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

/** The errors of what `AgentToolsServer.fromManifests` has beside the settings of `fromManifest`. */
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
    if (name === undefined || names.indexOf(name) === index) continue;
    const message = `${pathOf(index)} ${String(name)} is used twice`;
    findings.push(configFinding('AGS003', pathOf(index), message, 'Give each tool a name of its own.'));
  }
}

interface LimitsOptions {
  settings: { llm?: unknown; prices?: unknown };
  path: string;
  findings: Finding[];
}

/** Reports limits of an agent that do not go with its model. */
export function checkLimits(
  { model, maxCost, maxTokens = 4096, contextTokens = contextTokensOf(String(model)) }: Record<string, unknown>,
  { settings: { llm, prices }, path, findings }: LimitsOptions,
): void {
  if (Number(maxTokens) >= 0.8 * Number(contextTokens)) {
    const message = `${path}.maxTokens must be less than 80% of contextTokens (${contextTokens}), and is ${maxTokens}`;
    const hint = 'Lower it, or set contextTokens to what the model can read.';
    findings.push(configFinding('AGS001', `${path}.maxTokens`, message, hint));
  }
  if (maxCost === undefined || reportsCost(llm)) return;
  if (Object.hasOwn(Object(prices), String(model))) return;
  const message = `${path}.maxCost needs the prices of ${String(model)}`;
  const hint = `Set prices: { '${String(model)}': { input, output } }, per million tokens; only OpenRouter reports costs itself.`;
  findings.push(configFinding('AGS001', `${path}.maxCost`, message, hint));
}

/** Whether a provider says itself what a request has cost: only OpenRouter does. True for what is no setting of a model. */
function reportsCost(llm: unknown): boolean {
  const { baseURL, model } = Object(llm) as { baseURL?: unknown; model?: unknown };
  if (model !== undefined) return /openrouter/i.test(String(Object(model).provider));
  return !isHttpUrl(baseURL) || isOpenRouter(new URL(String(baseURL)).hostname);
}

/** Checks what the settings of all servers have. */
function checkShared(settings: unknown, findings: Finding[]): void {
  const { llm, events, auth, tasks, taskKeys } = Object(settings) as Record<string, unknown>;
  const { file, finding } = typeof tasks === 'string' ? parseStoreUrl(tasks) : {};
  if (finding !== undefined) findings.push(finding);
  if (typeof taskKeys === 'string' || (taskKeys === undefined && file !== undefined))
    findings.push(...givenStoreKeys(taskKeys).findings);
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
  checkFields(llm, llmRules, 'llm', findings);
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
