import { failed } from '../../output/command-result.ts';
import type { Opened } from './open-agent.ts';

/** Where the model is, from `LLM_BASE_URL`, `LLM_API_KEY` and `LLM_API`. Keys are never flags: those can be seen by others. */
export interface ModelAccess {
  baseURL: string;
  apiKey: string;
  api?: 'anthropic' | 'chat';
}

export function readModelAccess(secrets: Readonly<Record<string, string>>): Opened<{ llm: ModelAccess }> {
  const { LLM_BASE_URL: baseURL, LLM_API_KEY: apiKey, LLM_API: api = 'anthropic' } = secrets;
  const missing = [...(baseURL ? [] : ['LLM_BASE_URL']), ...(apiKey ? [] : ['LLM_API_KEY'])];
  if (missing.length > 0) {
    const fix =
      'Set them in .env of the project, in the file of --env-file or in the environment: LLM_BASE_URL=https://api.anthropic.com and LLM_API_KEY=… (LLM_API=chat for chat completions).';
    return {
      ok: false,
      result: failed('missingSecret', {
        error: `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`,
        fix,
      }),
    };
  }
  if (api !== 'anthropic' && api !== 'chat') {
    const fix = 'Use anthropic (the default) or chat.';
    return { ok: false, result: failed('usage', { error: `LLM_API cannot be ${JSON.stringify(api)}.`, fix }) };
  }
  return { ok: true, llm: { baseURL: String(baseURL), apiKey: String(apiKey), api } };
}
