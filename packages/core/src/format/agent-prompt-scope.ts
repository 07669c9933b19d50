import type { AgentManifest } from './agent-manifest.ts';
import type { PromptTargetKind } from './prompt.ts';
import { type PromptScope, promptTargets } from './prompt-targets.ts';

/**
 * The scope of the skills and prompts of an agent: its own parts by their names, and what it takes from schemas by id, as
 * `namespace/type/name`, `namespace/name` or `namespace.name`. What its manifest does not list, the agent does not have.
 */
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
      // Skills are the agent's own, so an id stands for none.
      return isId(name, kind) && kind !== 'skill' ? 'unlisted' : 'nowhere';
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

function isId(name: string, kind: PromptTargetKind): boolean {
  return promptTargets(name, kind, '').length > 1;
}
