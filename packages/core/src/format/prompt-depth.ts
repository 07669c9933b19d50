import type { Report } from './finding.ts';
import type { Prompt } from './prompt.ts';
import { promptFinding } from './prompt-codes.ts';
import type { PromptScope } from './prompt-targets.ts';

interface DepthContext {
  /** Where the prompt is declared. */
  path: string;
  /** All skills and prompts of the schema or the agent. */
  prompts: readonly Pick<Prompt, 'kind' | 'name' | 'references'>[];
  scope: PromptScope;
  report: Report;
}

/** References are followed one step: what a prompt brings along does not bring along more. */
export function reportPromptDepth(
  { kind, references }: Pick<Prompt, 'kind' | 'references'>,
  { path, prompts, scope, report }: DepthContext,
): void {
  const seen = new Set<string>();
  for (const { kind: target, name } of references) {
    const meant = scope.keyOf(name, target);
    // A prompt may be listed as well as named in the text.
    const key = JSON.stringify([target, meant]);
    if (seen.has(key)) continue;
    seen.add(key);
    const found = prompts.find((prompt) => prompt.kind === target && scope.keyOf(prompt.name, target) === meant);
    if (found === undefined || found.references.length === 0) continue;
    const message = `it refers to ${target} ${found.name}, whose own references are not followed`;
    const hint = 'Refer to all of them here.';
    report(promptFinding(kind === 'skill' ? 'SKL023' : 'PRM008', path, message, { hint }));
  }
}
