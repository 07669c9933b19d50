import { groupOf } from '../../groups/groups.ts';
import { listGroup } from '../../groups/list-group.ts';
import type { IndexedTool } from '../../index/indexed-tool.ts';
import { withIndex } from '../../index/open-index.ts';
import type { ToolIndex } from '../../index/tool-index.ts';
import { readSettings } from '../../settings/read-settings.ts';

/** Somebody waits for each key. More schemas than these are left to the next command; until then, names may be missing. */
const readAtMost = 100;

/** Tools by their names and references. */
export function proposeTools(partial: string): Promise<string[]> {
  return withNames((index) => index.complete(partial));
}

/** The tools of the default group, and its references: these are also there for what is gone. */
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

/** The tools of the last of several names with commas between them. */
export async function proposeToolList(partial: string): Promise<string[]> {
  const start = partial.lastIndexOf(',') + 1;
  const names = await proposeTools(partial.slice(start));
  return names.map((name) => `${partial.slice(0, start)}${name}`);
}

/** The groups of the project. */
export function proposeGroups(): string[] {
  return [...readSettings().groups.keys()];
}

/** The words after `call`: a tool, then `<parameter>=<value>`. */
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
