import type { Finding } from '@schemakit/core';
import { contextTokensOf } from '../model/context-tokens.ts';
import { isOpenRouter } from '../model/open-model.ts';
import { parseStoreKeys } from '../store/store-keys.ts';
import { parseStoreUrl } from '../store/store-url.ts';
import { configFinding } from './config-codes.ts';
import { configRules, howToBePaid, isHttpUrl, manifestRules, manifestsRules } from './config-rules.ts';
import { type Fault, faultFindings, fieldFaults, within } from './faults.ts';

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

type Fields = Readonly<Record<string, unknown>>;

/** All errors of the settings of `AgentToolsServer.create`. */
export function checkConfig(config: unknown): Finding[] {
  const settings = Object(config) as Fields;
  const tools = (Array.isArray(settings.tools) ? settings.tools : []).map((tool) => Object(tool) as Fields);
  const limits = tools.flatMap(({ agent }, index) =>
    within(`.tools[${index}].agent`, limitFaults(Object(agent), settings)),
  );
  const names = tools.map(({ name }) => name);
  const priced = settings.payment === undefined ? tools.findIndex(({ price }) => price !== undefined) : -1;
  const unpaid = { place: '.payment', problem: `is required for tools[${priced}].price`, hint: howToBePaid };
  return [
    ...faultFindings(fieldFaults(config, configRules), 'config'),
    ...storeFindings(settings),
    ...faultFindings([...limits, ...nameFaults('tools', names), ...(priced < 0 ? [] : [unpaid])]),
  ];
}

/** All errors of the settings of `AgentToolsServer.fromManifest`. */
export function checkManifestSettings(settings: unknown): Finding[] {
  const { manifest, file } = Object(settings) as Fields;
  const findings = [...faultFindings(fieldFaults(settings, manifestRules)), ...storeFindings(Object(settings))];
  if ((manifest === undefined) !== (file === undefined)) return findings;
  const hint = "Pass file: 'agents/name/agent.mjs'.";
  return [configFinding('AGS001', 'manifest', 'either manifest or file is required', hint), ...findings];
}

/** The errors of what `AgentToolsServer.fromManifests` has beside the settings of `fromManifest`. */
export function checkManifestsSettings(settings: unknown): Finding[] {
  const { name, version, agents } = Object(settings) as Fields;
  return faultFindings(fieldFaults({ name, version, agents }, manifestsRules));
}

/** Faults of settings that only some stores can keep. */
function sharedFaults({ tasks = 'memory:', llm, maxRuns, maxWaiting }: Fields): Fault[] {
  const hint = "Set tasks: 'sqlite:runs.db', for example.";
  if (maxRuns === 0 && tasks === 'memory:')
    return [{ place: '.maxRuns', problem: 'must be at least 1: no other process can work on runs in memory', hint }];
  const { rateLimit } = Object(llm) as { rateLimit?: unknown };
  const limits = typeof tasks === 'string' ? {} : { maxRuns, maxWaiting, 'llm.rateLimit': rateLimit };
  return Object.entries(limits).flatMap(([name, value]) =>
    value === undefined ? [] : [{ place: `.${name}`, problem: 'needs tasks to be a URL', hint }],
  );
}

/** What is wrong with the store of runs, its keys, and what depends on it. */
function storeFindings(settings: Fields): Finding[] {
  const { tasks, taskKeys } = settings;
  const parsed = typeof tasks === 'string' && parseStoreUrl(tasks);
  const { findings } = typeof taskKeys === 'string' ? parseStoreKeys(taskKeys, 'taskKeys') : { findings: [] };
  const wrong = parsed && parsed.kind === 'wrong' ? [parsed.finding] : [];
  return [...wrong, ...findings, ...faultFindings(sharedFaults(settings))];
}

/** Names that are used twice in a list. */
export function nameFaults(list: string, names: readonly unknown[]): Fault[] {
  return names.flatMap((name, index) => {
    if (name === undefined || names.indexOf(name) === index) return [];
    const hint = 'Give each tool a name of its own.';
    return [{ code: 'AGS003', place: `.${list}[${index}].name`, problem: `${name} is used twice`, hint }] as const;
  });
}

/** Limits of an agent that do not go with its model. */
export function limitFaults(
  { model, maxCost, maxTokens = 4096, contextTokens = contextTokensOf(String(model)) }: Fields,
  { llm, prices }: { llm?: unknown; prices?: unknown },
): Fault[] {
  const faults: Fault[] = [];
  if (Number(maxTokens) >= 0.8 * Number(contextTokens)) {
    const problem = `must be less than 80% of contextTokens (${contextTokens}), and is ${maxTokens}`;
    const hint = 'Lower it, or set contextTokens to what the model can read.';
    faults.push({ place: '.maxTokens', problem, hint });
  }
  if (maxCost === undefined || reportsCost(llm) || Object.hasOwn(Object(prices), String(model))) return faults;
  const hint = `Set prices: { '${model}': { input, output } }, per million tokens; only OpenRouter reports costs itself.`;
  return [...faults, { place: '.maxCost', problem: `needs the prices of ${model}`, hint }];
}

/** Whether a provider says itself what a request has cost: only OpenRouter does. True for what is no setting of a model. */
function reportsCost(llm: unknown): boolean {
  const { baseURL, model } = Object(llm) as { baseURL?: unknown; model?: unknown };
  if (model !== undefined) return /openrouter/i.test(String(Object(model).provider));
  return !isHttpUrl(baseURL) || isOpenRouter(new URL(String(baseURL)).hostname);
}
