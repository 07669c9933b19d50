import type { Finding } from '@schemakit/core';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';

/** Where the model is, from `LLM_BASE_URL`, `LLM_API_KEY` and `LLM_API`. Keys are never flags: those can be seen by others. */
export interface ModelAccess {
  baseURL: string;
  apiKey: string;
  api?: 'anthropic' | 'chat';
}

/** Stands for a model where none is asked. */
export const noModel: ModelAccess = { baseURL: 'http://127.0.0.1:1', apiKey: 'not-used' };

type ReadAccess = { ok: true; llm: ModelAccess } | { ok: false; result: CommandResult };

export function readModelAccess(environment: Readonly<Record<string, string>>): ReadAccess {
  const { LLM_BASE_URL: baseURL, LLM_API_KEY: apiKey, LLM_API: api = 'anthropic' } = environment;
  if (!baseURL || !apiKey) {
    const missing = [...(baseURL ? [] : ['LLM_BASE_URL']), ...(apiKey ? [] : ['LLM_API_KEY'])];
    const error = `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`;
    const fix = `Set ${missing.length > 1 ? 'them' : 'it'} in .env of the project, in the file of --env-file or in the environment: LLM_BASE_URL=https://api.anthropic.com and LLM_API_KEY=… (LLM_API=chat for chat completions).`;
    return { ok: false, result: failed('missingSecret', { error, fix }) };
  }
  if (!/^https?:$/.test(URL.parse(baseURL)?.protocol ?? '')) {
    const fix = 'Write it as http://127.0.0.1:11434/v1 or https://api.anthropic.com.';
    return { ok: false, result: usageError('LLM_BASE_URL must be an http or https URL.', fix) };
  }
  if (api !== 'anthropic' && api !== 'chat') {
    const fix = 'Use anthropic (the default) or chat.';
    return { ok: false, result: usageError(`LLM_API cannot be ${JSON.stringify(api)}.`, fix) };
  }
  return { ok: true, llm: { baseURL, apiKey, api } };
}

/** A finding about a setting of the library, in the words of the command. */
export function inVariables(finding: Finding): Finding {
  const message = finding.message.replace(/\bllm\.(baseURL|apiKey|api)\b/g, (name) => variables[name] ?? name);
  return { ...finding, message };
}

const variables: Readonly<Record<string, string>> = {
  'llm.baseURL': 'LLM_BASE_URL',
  'llm.apiKey': 'LLM_API_KEY',
  'llm.api': 'LLM_API',
};

/** The reason of a run in the words of the command. */
export function inFlags(reason: string): string {
  return reason.replace('(timeoutMs)', '(--timeout)').replace('(maxCost: ', '(--max-cost ');
}

/** What to check when requests to the model fail. */
export function modelHint({ baseURL, api = 'anthropic' }: ModelAccess): string {
  return `Check LLM_BASE_URL (${baseURL}), LLM_API_KEY, LLM_API (${api}) and the model of the agent.`;
}
