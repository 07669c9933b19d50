import type { Finding, FindingDetail, Report } from '../../schema/finding.ts';
import { ruleFinding } from '../../schema/finding-codes.ts';
import { isObject } from '../../schema/json.ts';
import type { ListDependency } from './list-data.ts';
import type { ListFolder } from './list-folder.ts';
import type { ListModule } from './list-module.ts';

/** Steps from a list to the furthest list that it depends on. */
const maxSteps = 3;

/** Checks what a list depends on. */
export type CheckDependencies = (list: ListModule) => Promise<void>;

/**
 * Makes a check of what lists depend on (`meta.dependsOn`): it is there, in the version that is asked for, with the entry that
 * a condition names, at most three steps away, and in no circle. Each list is looked at once, however many depend on it.
 */
export function dependencyCheck(folder: ListFolder, report: Report): CheckDependencies {
  /** For each list that was looked at, the longest way down from it, itself left out. */
  const ways = new Map<string, Way>();

  async function visit(list: ListModule, above: readonly string[]): Promise<Way> {
    const chain = [...above, list.name];
    let longest: Way = { steps: 0 };
    for (const dependency of list.dependsOn) {
      const way = await follow(list, { dependency, chain });
      if (way !== undefined && way.steps >= longest.steps) longest = { steps: way.steps + 1, next: dependency.ref };
    }
    ways.set(list.name, longest);
    return longest;
  }

  async function follow(
    list: ListModule,
    { dependency, chain }: { dependency: ListDependency; chain: readonly string[] },
  ): Promise<Way | undefined> {
    const { ref } = dependency;
    if (chain.includes(ref)) {
      const circle = shown([...chain.slice(chain.indexOf(ref)), ref]);
      const message = `shared lists depend on each other in a circle: ${circle}`;
      report(inList(list, ruleFinding('LST010', dependency.path, message, { hint: 'Leave one of the steps out.' })));
      return undefined;
    }
    const found = await folder.find(ref);
    if (found.status !== 'found') {
      if (found.status === 'missing') report(inList(list, missingList(ref, dependency.path, { chain, folder })));
      return undefined;
    }
    checkDependency(found.list, { of: list, dependency, chain, report });
    return ways.get(ref) ?? visit(found.list, chain);
  }

  return async (list) => {
    const way = ways.get(list.name) ?? (await visit(list, []));
    if (way.steps <= maxSteps) return;
    const names = [list.name];
    for (let next = way.next; next !== undefined; next = ways.get(next)?.next) names.push(next);
    const message = `the shared list '${list.name}' depends on a list that is ${way.steps} steps away: ${shown(names)}`;
    const hint = `At most ${maxSteps} steps are followed.`;
    report(inList(list, ruleFinding('LST011', 'list.meta.dependsOn', message, { hint })));
  };
}

interface Way {
  steps: number;
  /** The list that the longest way goes on with. */
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
  const wanted = `${condition.field} is ${JSON.stringify(condition.value)}`;
  const message = `the shared list '${list.name}' needs an entry of '${ref}' whose ${wanted}; there is none`;
  report(inList(list, ruleFinding('LST012', `${path}.condition`, message)));
}

function fits(entry: unknown, { field, value }: { field: string; value: unknown }): boolean {
  return isObject(entry) && Object.hasOwn(entry, field) && entry[field] === value;
}

/** A list that is not there, in the words of specification 7.1. `chain` are the lists that lead to it. */
export function missingList(
  name: string,
  path: string,
  { chain = [], folder }: { chain?: readonly string[]; folder: ListFolder | undefined },
): Finding {
  const hint =
    folder === undefined
      ? 'There is no _lists folder beside the schema or above it; pass listsDir.'
      : `Looked in ${folder.path} for a module whose meta.name is ${JSON.stringify(name)}; names are case-sensitive.`;
  return chained(['VAL072', path, `Shared list '${name}' not found in lists directory`, { hint }], chain, name);
}

/** A list that is there in another version. */
export function otherVersion(
  { name, version: found }: ListModule,
  { version, path, chain = [] }: { version: string; path: string; chain?: readonly string[] },
): Finding {
  const message = `Shared list '${name}' has version ${found ?? 'none'}, not ${version}`;
  const hint = 'Name the version of the list that is there, or bring the one that is asked for.';
  return chained(['VAL073', path, message, { hint }], chain, name);
}

function chained(
  [code, path, message, detail]: readonly ['VAL072' | 'VAL073', string, string, FindingDetail],
  chain: readonly string[],
  name: string,
): Finding {
  return ruleFinding(code, path, chain.length === 0 ? message : `${message} (${shown([...chain, name])})`, detail);
}

/** Long ways are cut. */
function shown(names: readonly string[]): string {
  const few = names.length > 12 ? [...names.slice(0, 6), '…', ...names.slice(-5)] : names;
  return few.join(' -> ');
}

function inList({ file, locate }: ListModule, finding: Finding): Finding {
  return { ...finding, file, ...locate(finding.path) };
}
