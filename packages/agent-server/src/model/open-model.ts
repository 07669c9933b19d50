import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { RateLimit } from '../store/run-store.ts';
import { modelFetch } from './model-fetch.ts';

/** Where the model is: an address and a key, or a model object of any provider of the AI SDK. */
export type LlmConfig = (
  | {
      /** Base URL of the API, such as `https://api.anthropic.com`. For Anthropic's API, `/v1` is added unless it is there. */
      baseURL: string;
      apiKey: string;
      /** `anthropic` (default): Anthropic Messages; `chat`: chat completions as OpenAI has them. */
      api?: 'anthropic' | 'chat';
    }
  | { model: ModelObject }
) & {
  /** At most so many `requests` in any `perMs` milliseconds, of all processes with the same `tasks` and key together. Default: no limit. */
  rateLimit?: RateLimit;
};

/** A model object of the AI SDK. */
export type ModelObject = Exclude<LanguageModel, string>;

/**
 * Opens the model of an agent.
 *
 * @param id The agent's `model`, such as `anthropic/claude-sonnet-5`. OpenRouter and unknown hosts get it as it is; Anthropic and
 * OpenAI get it without the provider.
 */
export function openModel(llm: LlmConfig, id: string): ModelObject {
  if ('model' in llm) return llm.model;
  const { baseURL, apiKey, api = 'anthropic' } = llm;
  const { hostname } = new URL(baseURL);
  const fetch = modelFetch(baseURL);
  const name = bareHosts.has(hostname) ? id.replace(/^[^/]+\//, '') : id;
  const base = baseURL.replace(/\/+$/, '');
  const bearer = { Authorization: `Bearer ${apiKey}` };
  if (api === 'chat') {
    const both = isOpenRouter(hostname) ? { 'x-api-key': apiKey } : {};
    return createOpenAICompatible({ name: 'chat', baseURL: base, apiKey, headers: both, fetch }).chatModel(name);
  }
  const versioned = /\/v1$/.test(base) ? base : `${base}/v1`;
  const both = isOpenRouter(hostname) ? bearer : {};
  return createAnthropic({ baseURL: versioned, apiKey, headers: both, fetch })(name);
}

/** Hosts that know their models without the provider. */
const bareHosts = new Set(['api.anthropic.com', 'api.openai.com']);

export function isOpenRouter(hostname: string): boolean {
  return hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai');
}
