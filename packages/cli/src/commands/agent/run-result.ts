import type { RunReport } from '@schemakit/agent-server';
import type { CallResult } from '@schemakit/server';
import { counted } from '../../output/terminal-text.ts';
import { inFlags } from './model-access.ts';

/** What commands read in the result of a run. */
export interface ReadResult {
  /** Absent if the call was refused before there was a run. */
  run: RunReport | undefined;
  text: string;
  /** Why it did not succeed, in the words of the command. */
  reason: string;
}

export function readResult({ content, _meta = {} }: CallResult): ReadResult {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const [reason = ''] = text.split('\n\n', 1);
  return { run: _meta['schemakit/run'] as RunReport | undefined, text, reason: inFlags(reason.replaceAll('\n', ' ')) };
}

/** What a run has taken, such as `3 rounds, 1,234 tokens, 5.6 s`. */
export function effortText({ rounds, durationMs, usage, cost }: RunReport): string {
  const tokens = (usage.inputTokens + usage.outputTokens).toLocaleString('en');
  const costs = cost === undefined ? '' : `, cost ${cost.toPrecision(2)}`;
  return `${counted(rounds, 'round')}, ${tokens} tokens, ${(durationMs / 1000).toFixed(1)} s${costs}`;
}
