import type { AgentManifest } from '../agent/agent-manifest.ts';
import type { Report } from '../finding.ts';
import type { RuleCode } from '../finding-codes.ts';
import { listWords } from '../input/describe-input.ts';
import { suggestWord } from '../nearest-word.ts';
import { type Place, ruleReport } from '../rule-report.ts';
import type { Prompt, PromptPart, PromptTargetKind } from './prompt.ts';

export interface PromptTarget {
  namespace: string;
  name: string;
}

/**
 * Where a named part is defined: `here` in the same schema or agent, `sibling` in another schema of the namespace,
 * `elsewhere` in another namespace (not checked), `unlisted` in a schema from which the agent does not list it,
 * `nowhere` for an unknown bare name.
 */
export type PromptTargetPlace = 'here' | 'sibling' | 'elsewhere' | 'unlisted' | 'nowhere';

/** The parts that texts of a schema or an agent can name. */
export interface PromptScope {
  owner: 'schema' | 'agent';
  /** The names of the owner's parts, by kind. */
  names: Readonly<Record<PromptTargetKind, ReadonlySet<string>>>;
  placeOf(name: string, kind: PromptTargetKind): PromptTargetPlace;
  /** The same key for all spellings of a name. */
  keyOf(name: string, kind: PromptTargetKind): string;
}

/** The meanings of a name, likeliest first: an own part, `namespace/type/name`, `namespace/name`, or the older `namespace.name`. */
export function promptTargets(text: string, kind: PromptTargetKind, namespace: string): readonly PromptTarget[] {
  const [, owner, name = ''] = /^([a-z][a-z0-9-]*)[/.](.+)$/.exec(text) ?? [];
  const own = { namespace, name: text };
  if (owner === undefined) return [own];
  const typed = `${kind}/`;
  const plain = text[owner.length] === '/' && name.startsWith(typed) ? name.slice(typed.length) : name;
  return [own, { namespace: owner, name: plain }];
}

export function schemaScope({ namespace, names }: { namespace: string; names: PromptScope['names'] }): PromptScope {
  const meant = (text: string, kind: PromptTargetKind): PromptTarget => {
    const [, named] = promptTargets(text, kind, namespace);
    return named === undefined || names[kind].has(text) ? { namespace, name: text } : named;
  };
  return {
    owner: 'schema',
    names,
    placeOf(text, kind) {
      const target = meant(text, kind);
      if (target.namespace !== namespace) return 'elsewhere';
      if (names[kind].has(target.name)) return 'here';
      return target.name === text ? 'nowhere' : 'sibling';
    },
    keyOf(text, kind) {
      const target = meant(text, kind);
      return `${target.namespace}/${target.name}`;
    },
  };
}

/** The scope of an agent's skills and prompts: its own parts by name, and the listed parts of schemas by their ids. */
export function agentScope({
  tools,
  resources,
  skills,
  prompts,
}: Pick<AgentManifest, 'tools' | 'resources' | 'skills' | 'prompts'>): PromptScope {
  const names = {
    tool: new Set(Object.keys(tools)),
    resource: new Set(Object.keys(resources)),
    skill: new Set(Object.keys(skills)),
    prompt: new Set(Object.keys(prompts)),
  };
  const keys = {
    tool: keysOf(names.tool, 'tool'),
    resource: keysOf(names.resource, 'resource'),
    skill: names.skill,
    prompt: keysOf(names.prompt, 'prompt'),
  };
  return {
    owner: 'agent',
    names,
    placeOf(name, kind) {
      if (names[kind].has(name) || keys[kind].has(keyOf(name, kind))) return 'here';
      // An agent takes no skills from schemas.
      return promptTargets(name, kind, '').length > 1 && kind !== 'skill' ? 'unlisted' : 'nowhere';
    },
    keyOf: (name, kind) => (names[kind].has(name) && !name.includes('/') ? name : keyOf(name, kind)),
  };
}

function keysOf(names: ReadonlySet<string>, kind: PromptTargetKind): ReadonlySet<string> {
  return new Set([...names].map((name) => (name.includes('/') ? keyOf(name, kind) : name)));
}

function keyOf(name: string, kind: PromptTargetKind): string {
  const [, target] = promptTargets(name, kind, '');
  return target === undefined ? name : `${target.namespace}/${target.name}`;
}

interface TargetContext extends Place {
  scope: PromptScope;
  code: RuleCode;
}

/** Reports the name of an unknown part. Names in other namespaces cannot be checked here. */
export function reportUnknownTarget(name: string, kind: PromptTargetKind, context: TargetContext): void {
  const { scope, code, path, report } = context;
  const place = scope.placeOf(name, kind);
  if (place === 'here' || place === 'elsewhere') return;
  const message = `the ${scope.owner} has no ${kind} ${JSON.stringify(name)}`;
  const hint = {
    sibling: 'Another schema of the namespace may define it.',
    unlisted: `If a schema defines it, add its id to ${kind}s of the agent with the value null.`,
    nowhere: knownNames(name, kind, scope),
  }[place];
  report(code, path, message, { hint, ...(place !== 'nowhere' && { severity: 'warning' }) });
}

function knownNames(name: string, kind: PromptTargetKind, { owner, names }: PromptScope): string {
  const known = names[kind];
  const all = known.size === 0 ? `The ${owner} has no ${kind}s.` : `It has ${listWords([...known])}.`;
  return suggestWord(name, known) ?? all;
}

/** Reports unknown parts in a text, each name once. */
export function reportUnknownParts(
  content: readonly PromptPart[],
  { codes, ...context }: Omit<TargetContext, 'code'> & { codes: Readonly<Record<PromptTargetKind, RuleCode>> },
): void {
  for (const kind of ['tool', 'resource', 'skill', 'prompt'] as const) {
    for (const name of namesIn(content, kind)) reportUnknownTarget(name, kind, { ...context, code: codes[kind] });
  }
}

export function namesIn(content: readonly PromptPart[], kind: PromptPart['kind']): readonly string[] {
  return [...new Set(content.flatMap((part) => (part.kind === kind && 'name' in part ? part.name : [])))];
}

interface DepthContext {
  path: string;
  report: Report;
  /** All skills and prompts of the schema or the agent. */
  prompts: readonly Pick<Prompt, 'kind' | 'name' | 'references'>[];
  scope: PromptScope;
}

/** References are followed only one level deep. */
export function reportPromptDepth(
  { kind, references }: Pick<Prompt, 'kind' | 'references'>,
  { path, prompts, scope, report }: DepthContext,
): void {
  const seen = new Set<string>();
  for (const { kind: target, name } of references) {
    const meant = scope.keyOf(name, target);
    // The same prompt may be listed and named in the text.
    const key = JSON.stringify([target, meant]);
    if (seen.has(key)) continue;
    seen.add(key);
    const found = prompts.find((prompt) => prompt.kind === target && scope.keyOf(prompt.name, target) === meant);
    if (found === undefined || found.references.length === 0) continue;
    const message = `it refers to ${target} ${found.name}, whose own references are not followed`;
    const code = kind === 'skill' ? 'SKL023' : 'PRM008';
    ruleReport(report)(code, path, message, 'Refer to all of them here.');
  }
}
