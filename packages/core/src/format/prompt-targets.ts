import type { PromptTargetKind } from './prompt.ts';

/** Something that the text of a prompt can mean. */
export interface PromptTarget {
  namespace: string;
  name: string;
}

/** What the skills and prompts of a schema can name. */
export interface PromptScope {
  namespace: string;
  names: Readonly<Record<PromptTargetKind, ReadonlySet<string>>>;
}

/**
 * - `here`: the schema has it
 * - `sibling`: it would be in another schema of the same namespace
 * - `elsewhere`: it would be in another namespace
 * - `nowhere`: a bare name that the schema does not have
 */
export type PromptTargetPlace = 'here' | 'sibling' | 'elsewhere' | 'nowhere';

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

/** Says where what a name means would be. */
export function promptTargetPlace(
  text: string,
  kind: PromptTargetKind,
  { namespace, names }: PromptScope,
): PromptTargetPlace {
  const targets = promptTargets(text, kind, namespace);
  if (targets.some((target) => target.namespace === namespace && names[kind].has(target.name))) return 'here';
  const [, named] = targets;
  if (named === undefined) return 'nowhere';
  return named.namespace === namespace ? 'sibling' : 'elsewhere';
}
