import type { Finding } from '@schemakit/core';
import type { ToolIndex } from '../index/tool-index.ts';
import { failWith, type Step } from '../output/command-result.ts';
import { didYouMean } from '../output/nearest-word.ts';
import { type Group, isGroupName } from '../settings/config.ts';
import { openSettings } from '../settings/open-settings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { writeConfig, writeGroup } from '../settings/write-settings.ts';
import { listGroup } from './list-group.ts';
import { includingReferences, normalReference } from './references.ts';

export type ChosenGroup = { ok: true; name: string; group: Group } | { ok: false; finding: Finding };

export function groupOf({ groups, defaultGroup, paths }: Settings, named: string | undefined): ChosenGroup {
  const name = named ?? defaultGroup;
  const known = [...groups.keys()];
  if (name === undefined) return { ok: false, finding: noDefault(known) };
  const group = groups.get(name);
  if (group !== undefined) return { ok: true, name, group };
  const all = known.length === 0 ? 'There are no groups yet.' : `Groups: ${known.join(', ')}.`;
  const hint = didYouMean(name, known, `${all} ${groupHint(name, { isDefault: named === undefined })}`);
  const what = named === undefined ? `the default group ${name} does not exist` : `no group ${name}`;
  const more = named === undefined ? { file: paths.project.config } : {};
  return { ok: false, finding: settingsFinding('SET007', what, { hint, ...more }) };
}

/** Reads the settings, and finds the named group or the default group. Errors end the command. */
export function openGroup(named?: string): Step<{ name: string; group: Group; settings: Settings }> {
  const opened = openSettings();
  if (!opened.ok) return opened;
  const chosen = groupOf(opened.settings, named);
  return chosen.ok ? { ...chosen, settings: opened.settings } : { ok: false, result: failWith([chosen.finding]) };
}

function groupHint(name: string, { isDefault }: { isDefault: boolean }): string {
  if (isGroupName(name)) return `Run: schemakit group append ${name} --tools "<tools>"`;
  return isDefault ? 'Run: schemakit group set-default <name>' : 'Run: schemakit group list';
}

function noDefault(known: readonly string[]): Finding {
  const [first] = known;
  const hint =
    first === undefined
      ? 'Activate a tool: schemakit add <tool>. Or pass a schema file.'
      : `Run: schemakit group set-default ${first}. Or add --group <name>.`;
  return settingsFinding('SET007', 'no default group', { hint });
}

/** The group for `add`: the default group, or `default` in a project without groups. */
export function targetGroup(settings: Settings): ChosenGroup {
  const isFirst = settings.defaultGroup === undefined && settings.groups.size === 0;
  return isFirst ? { ok: true, name: 'default', group: { description: '', tools: [] } } : groupOf(settings, undefined);
}

export type AppendResult =
  | { ok: true; group: Group; toolCount: number; added: readonly string[]; isDefault: boolean }
  | { ok: false; finding: Finding };

/** Adds references to a group, and creates it if needed. The first group of a project becomes its default. */
export async function appendToGroup(
  settings: Settings,
  {
    name,
    references,
    description,
    index,
  }: { name: string; references: readonly string[]; description?: string | undefined; index: ToolIndex },
): Promise<AppendResult> {
  const { paths, groups, defaultGroup } = settings;
  let group: Group = { description: '', tools: [] };
  let added: readonly string[] = [];
  const written = await writeGroup(
    paths,
    name,
    (current) => {
      // Another process may have added some of them.
      const before = new Set(current.tools.map(normalReference));
      added = references.filter((reference) => !includingReferences(reference, index).some((own) => before.has(own)));
      const all = new Set([...before, ...added]);
      // A file stands for its tools, a resource for its queries.
      const isNarrow = (reference: string) =>
        includingReferences(reference, index).some((own) => own !== reference && all.has(own));
      group = { description: description ?? current.description, tools: [...all].filter((own) => !isNarrow(own)) };
      return group;
    },
    groups.get(name),
  );
  if (!written.ok) return written;
  const { tools } = listGroup(group, { index, settings });
  let isDefault = defaultGroup === name;
  const needsDefault = defaultGroup === undefined && groups.size === 0;
  if (!needsDefault) return { ok: true, group, toolCount: tools.length, added, isDefault };
  const set = await writeConfig(paths.project, (fields) => {
    isDefault = fields.defaultGroup === undefined || fields.defaultGroup === name;
    return { ...fields, defaultGroup: fields.defaultGroup ?? name };
  });
  return set.ok ? { ok: true, group, toolCount: tools.length, added, isDefault } : set;
}

export function splitReferences(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
