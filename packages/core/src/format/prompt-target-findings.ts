import { listWords } from './describe-input.ts';
import type { Report } from './finding.ts';
import { nearestWord } from './nearest-word.ts';
import type { PromptPart, PromptTargetKind } from './prompt.ts';
import { type PromptCode, promptFinding } from './prompt-codes.ts';
import { type PromptScope, promptTargetPlace } from './prompt-targets.ts';

interface TargetContext {
  scope: PromptScope;
  code: PromptCode;
  path: string;
  report: Report;
}

/** Reports a name that the schema does not have. What another namespace has is not known here. */
export function reportUnknownTarget(name: string, kind: PromptTargetKind, context: TargetContext): void {
  const { scope, code, path, report } = context;
  const place = promptTargetPlace(name, kind, scope);
  if (place === 'here' || place === 'elsewhere') return;
  const known = scope.names[kind];
  const meant = nearestWord(name, known);
  const list = known.size === 0 ? `The schema has no ${kind}s.` : `It has ${listWords([...known])}.`;
  const isSibling = place === 'sibling';
  report(
    promptFinding(code, path, `there is no ${kind} ${JSON.stringify(name)} in the schema`, {
      hint: isSibling
        ? `Another schema of the namespace ${scope.namespace} may have it.`
        : meant === undefined
          ? list
          : `Did you mean ${meant}?`,
      ...(isSibling && { severity: 'warning' }),
    }),
  );
}

/** Reports what a text names and its schema does not have, each name once. */
export function reportUnknownParts(
  content: readonly PromptPart[],
  { codes, ...context }: Omit<TargetContext, 'code'> & { codes: Readonly<Record<PromptTargetKind, PromptCode>> },
): void {
  for (const kind of ['tool', 'resource', 'skill', 'prompt'] as const) {
    for (const name of namesIn(content, kind)) reportUnknownTarget(name, kind, { ...context, code: codes[kind] });
  }
}

/** The names of one kind in a text, each once. */
export function namesIn(content: readonly PromptPart[], kind: PromptPart['kind']): readonly string[] {
  return [...new Set(content.flatMap((part) => (part.kind === kind && 'name' in part ? part.name : [])))];
}
