import { listWords } from './describe-input.ts';
import type { Report } from './finding.ts';
import { nearestWord } from './nearest-word.ts';
import type { PromptPart, PromptTargetKind } from './prompt.ts';
import { type PromptCode, promptFinding } from './prompt-codes.ts';
import type { PromptScope } from './prompt-targets.ts';

interface TargetContext {
  scope: PromptScope;
  code: PromptCode;
  path: string;
  report: Report;
}

/** Reports a name of something that the schema or the agent does not have. What another namespace has is not known here. */
export function reportUnknownTarget(name: string, kind: PromptTargetKind, context: TargetContext): void {
  const { scope, code, path, report } = context;
  const place = scope.placeOf(name, kind);
  if (place === 'here' || place === 'elsewhere') return;
  const message = `there is no ${kind} ${JSON.stringify(name)} in the ${scope.owner}`;
  const hint = {
    sibling: 'Another schema of the namespace may have it.',
    unlisted: `If it is in a schema, add its id to ${kind}s of the agent, with null as its value.`,
    nowhere: knownNames(name, kind, scope),
  }[place];
  report(promptFinding(code, path, message, { hint, ...(place !== 'nowhere' && { severity: 'warning' }) }));
}

function knownNames(name: string, kind: PromptTargetKind, { owner, names }: PromptScope): string {
  const known = names[kind];
  const meant = nearestWord(name, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.size === 0 ? `The ${owner} has no ${kind}s.` : `It has ${listWords([...known])}.`;
}

/** Reports what a text names and its schema or agent does not have, each name once. */
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
