import type { Finding, Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';
import type { ListDependency } from './list-data.ts';
import type { ListFolder } from './list-folder.ts';
import type { ListModule } from './list-module.ts';

/** The longest allowed chain of dependencies. */
const maxSteps = 3;

/** Creates a check of `meta.dependsOn`: versions, conditions, and chains of at most three steps without a cycle. */
export function dependencyCheck(folder: ListFolder, report: Report): (list: ListModule) => Promise<void> {
  /** The longest chain below each checked list. */
  const chains = new Map<string, Chain>();

  async function visit(list: ListModule, above: readonly string[]): Promise<Chain> {
    const chain = [...above, list.name];
    let longest: Chain = { steps: 0 };
    for (const dependency of list.dependsOn) {
      const below = await follow(list, { dependency, chain });
      if (below !== undefined && below.steps >= longest.steps)
        longest = { steps: below.steps + 1, next: dependency.ref };
    }
    chains.set(list.name, longest);
    return longest;
  }

  async function follow(
    list: ListModule,
    { dependency, chain }: { dependency: ListDependency; chain: readonly string[] },
  ): Promise<Chain | undefined> {
    const { ref } = dependency;
    if (chain.includes(ref)) {
      const circle = shown([...chain.slice(chain.indexOf(ref)), ref]);
      const message = `shared lists depend on each other in a circle: ${circle}`;
      report(inList(list, ruleFinding('LST010', dependency.path, message, 'Remove one of these dependencies.')));
      return undefined;
    }
    const found = await folder.find(ref);
    if (found.status !== 'found') {
      if (found.status === 'missing') report(inList(list, missingList(ref, dependency.path, { chain, folder })));
      return undefined;
    }
    checkDependency(found.list, { of: list, dependency, chain, report });
    return chains.get(ref) ?? visit(found.list, chain);
  }

  return async (list) => {
    const below = chains.get(list.name) ?? (await visit(list, []));
    if (below.steps <= maxSteps) return;
    const names = [list.name];
    for (let next = below.next; next !== undefined; next = chains.get(next)?.next) names.push(next);
    const message = `the shared list '${list.name}' depends on a list that is ${below.steps} steps away: ${shown(names)}`;
    const hint = `At most ${maxSteps} steps are followed.`;
    report(inList(list, ruleFinding('LST011', 'list.meta.dependsOn', message, hint)));
  };
}

interface Chain {
  steps: number;
  next?: string;
}

function checkDependency(
  found: ListModule,
  {
    of: list,
    dependency: { ref, version, condition, path },
    chain,
    report,
  }: { of: ListModule; dependency: ListDependency; chain: readonly string[]; report: Report },
): void {
  if (version !== undefined && version !== found.version)
    report(inList(list, otherVersion(found, { version, path: `${path}.version`, chain })));
  if (condition === undefined || found.entries.some((entry) => fits(entry, condition))) return;
  const required = `${condition.field} is ${JSON.stringify(condition.value)}`;
  const message = `the shared list '${list.name}' needs an entry of '${ref}' whose ${required}; there is none`;
  report(inList(list, ruleFinding('LST012', `${path}.condition`, message)));
}

function fits(entry: unknown, { field, value }: { field: string; value: unknown }): boolean {
  return isObject(entry) && Object.hasOwn(entry, field) && entry[field] === value;
}

/** The finding for a missing list. `chain` are the lists that lead to it. */
export function missingList(
  name: string,
  path: string,
  { chain = [], folder }: { chain?: readonly string[]; folder: ListFolder | undefined },
): Finding {
  const hint =
    folder === undefined
      ? 'There is no _lists folder next to the schema or in a parent folder; pass listsDir.'
      : `Looked in ${folder.path} for a module whose meta.name is ${JSON.stringify(name)}; names are case-sensitive.`;
  return chained(['VAL072', path, `Shared list '${name}' not found in lists directory`, hint], chain, name);
}

export function otherVersion(
  { name, version: found }: ListModule,
  { version, path, chain = [] }: { version: string; path: string; chain?: readonly string[] },
): Finding {
  const message = `Shared list '${name}' has version ${found ?? 'none'}, not ${version}`;
  const hint = 'Reference the existing version, or add the list in the requested one.';
  return chained(['VAL073', path, message, hint], chain, name);
}

function chained(
  [code, path, message, hint]: readonly ['VAL072' | 'VAL073', string, string, string],
  chain: readonly string[],
  name: string,
): Finding {
  return ruleFinding(code, path, chain.length === 0 ? message : `${message} (${shown([...chain, name])})`, hint);
}

/** Long chains are shortened. */
function shown(names: readonly string[]): string {
  const few = names.length > 12 ? [...names.slice(0, 6), '…', ...names.slice(-5)] : names;
  return few.join(' -> ');
}

function inList({ file, locate }: ListModule, finding: Finding): Finding {
  return { ...finding, file, ...locate(finding.path) };
}
