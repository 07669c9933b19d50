import { groupOf } from '../../groups/groups.ts';
import { listGroup } from '../../groups/list-group.ts';
import type { IndexedTool } from '../../index/indexed-tool.ts';
import { withIndex } from '../../index/open-index.ts';
import type { ToolIndex } from '../../index/tool-index.ts';
import { readSettings } from '../../settings/read-settings.ts';

/** Completion must be fast: with more changed schemas, the next command updates the index. Until then, names may be missing. */
const readAtMost = 100;

export function proposeTools(partial: string): Promise<string[]> {
  return withNames((index) => index.complete(partial));
}

/** The tools and references of the default group; references also exist for missing tools. */
export function proposeActiveTools(): Promise<string[]> {
  const settings = readSettings();
  const chosen = groupOf(settings, undefined);
  if (!chosen.ok) return Promise.resolve([]);
  const { group } = chosen;
  return withNames((index) => {
    const { tools } = listGroup(group, { index, settings });
    return [...tools.map(({ name }) => name), ...group.tools];
  });
}

export async function proposeToolList(partial: string): Promise<string[]> {
  const start = partial.lastIndexOf(',') + 1;
  const names = await proposeTools(partial.slice(start));
  return names.map((name) => `${partial.slice(0, start)}${name}`);
}

export function proposeGroups(): string[] {
  return [...readSettings().groups.keys()];
}

export function proposeEnvironments(): string[] {
  return [...readSettings().project.environments.keys()];
}

export async function proposeSources(): Promise<string[]> {
  const { listSources } = await import('../../sources/source-state.ts');
  return (await listSources({ folder: readSettings().paths.home.schemas })).map(({ name }) => name);
}

/** Completes the arguments of `call`: a tool, then `<parameter>=<value>`. */
export async function proposeCallWords(words: readonly string[], partial: string): Promise<string[]> {
  const [, name, ...given] = words.filter((word) => !word.startsWith('-'));
  if (name === undefined) return ['list-tools', ...(await proposeTools(partial))];
  return withNames(async (index) => {
    const { outcome, tools } = await index.find(name);
    const [tool] = tools;
    return outcome === 'match' && tool !== undefined ? parameterWords(tool, given) : [];
  });
}

function parameterWords({ parameters }: IndexedTool, given: readonly string[]): string[] {
  const open = Object.entries(parameters).filter(([key]) => !given.some((word) => word.startsWith(`${key}=`)));
  return open.flatMap(([key, { values = [] }]) => [`${key}=`, ...values.map((value) => `${key}=${value}`)]);
}

function withNames(use: (index: ToolIndex) => Promise<string[]> | string[]): Promise<string[]> {
  return withIndex(readSettings(), use, { readAtMost, isQuiet: true });
}
