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

export function readModelAccess(secrets: Readonly<Record<string, string>>): ReadAccess {
  const { LLM_BASE_URL: baseURL, LLM_API_KEY: apiKey, LLM_API: api = 'anthropic' } = secrets;
  if (!baseURL || !apiKey) {
    const missing = [...(baseURL ? [] : ['LLM_BASE_URL']), ...(apiKey ? [] : ['LLM_API_KEY'])];
    const error = `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`;
    const fix =
      'Set them in .env of the project, in the file of --env-file or in the environment: LLM_BASE_URL=https://api.anthropic.com and LLM_API_KEY=… (LLM_API=chat for chat completions).';
    return { ok: false, result: failed('missingSecret', { error, fix }) };
  }
  if (api !== 'anthropic' && api !== 'chat') {
    const fix = 'Use anthropic (the default) or chat.';
    return { ok: false, result: usageError(`LLM_API cannot be ${JSON.stringify(api)}.`, fix) };
  }
  return { ok: true, llm: { baseURL, apiKey, api } };
}
