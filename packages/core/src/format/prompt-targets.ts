import type { PromptTargetKind } from './prompt.ts';

/** Something that the text of a prompt can mean. */
export interface PromptTarget {
  namespace: string;
  name: string;
}

/**
 * - `here`: what the text belongs to has it
 * - `sibling`: it would be in another schema of the same namespace
 * - `elsewhere`: it would be in another namespace, which is not known here
 * - `unlisted`: it would be in a schema, and the agent does not take it from there
 * - `nowhere`: a bare name that stands for nothing
 */
export type PromptTargetPlace = 'here' | 'sibling' | 'elsewhere' | 'unlisted' | 'nowhere';

/** What texts can name: those of a schema, or those of an agent. */
export interface PromptScope {
  owner: 'schema' | 'agent';
  /** What the owner has, by kind. */
  names: Readonly<Record<PromptTargetKind, ReadonlySet<string>>>;
  /** Where what a name means would be. */
  placeOf(name: string, kind: PromptTargetKind): PromptTargetPlace;
  /** The same for all ways to name the same thing. */
  keyOf(name: string, kind: PromptTargetKind): string;
}

/**
 * What a name in a text of the schema `namespace` can mean, the likeliest first: a name of the schema itself,
 * `namespace/type/name`, `namespace/name`, and `namespace.name` as older prompts have it.
 */
export function promptTargets(text: string, kind: PromptTargetKind, namespace: string): readonly PromptTarget[] {
  const [, owner, name = ''] = /^([a-z][a-z0-9-]*)[/.](.+)$/.exec(text) ?? [];
  const own = { namespace, name: text };
  if (owner === undefined) return [own];
  const typed = `${kind}/`;
  const plain = text[owner.length] === '/' && name.startsWith(typed) ? name.slice(typed.length) : name;
  return [own, { namespace: owner, name: plain }];
}

/** The scope of the skills and prompts of a schema. */
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
