import type { Finding } from '@schemakit/core';
import { nearestWord } from '../output/nearest-word.ts';
import { type Group, isGroupName } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { writeConfig, writeGroup } from '../settings/write-settings.ts';

export type ChosenGroup = { ok: true; name: string; group: Group } | { ok: false; finding: Finding };

/** The group that was named, or the default one. */
export function groupOf({ groups, defaultGroup, places }: Settings, named: string | undefined): ChosenGroup {
  const name = named ?? defaultGroup;
  const known = [...groups.keys()];
  if (name === undefined) return { ok: false, finding: noDefault(known) };
  const group = groups.get(name);
  if (group !== undefined) return { ok: true, name, group };
  const meant = nearestWord(name, known);
  const all = known.length === 0 ? 'There are no groups yet.' : `Groups are: ${known.join(', ')}.`;
  const hint =
    meant === undefined ? `${all} ${wayOut(name, { isDefault: named === undefined })}` : `Did you mean ${meant}?`;
  const what = named === undefined ? `the default group ${name} does not exist` : `there is no group ${name}`;
  const more = named === undefined ? { file: places.project.config } : {};
  return { ok: false, finding: settingsFinding('SET007', what, { hint, ...more }) };
}

/** A name that cannot be that of a group cannot be made one. */
function wayOut(name: string, { isDefault }: { isDefault: boolean }): string {
  if (isGroupName(name)) return `Run: schemakit group append ${name} --tools "<tools>"`;
  return isDefault ? 'Run: schemakit group set-default <name>' : 'Run: schemakit group list';
}

function noDefault(known: readonly string[]): Finding {
  const [first] = known;
  const hint =
    first === undefined
      ? 'Activate a tool: schemakit add <tool>. Or name a schema file.'
      : `Run: schemakit group set-default ${first}. Or add --group <name>.`;
  return settingsFinding('SET007', 'there is no default group', { hint });
}

/** The group that `add` adds to: the default one. A project without any group gets one named `default`. */
export function targetGroup(settings: Settings): ChosenGroup {
  const isFirst = settings.defaultGroup === undefined && settings.groups.size === 0;
  return isFirst ? { ok: true, name: 'default', group: { description: '', tools: [] } } : groupOf(settings, undefined);
}

export type Appended =
  | { ok: true; group: Group; added: readonly string[]; isDefault: boolean }
  | { ok: false; finding: Finding };

/** Writes references into a group that may be new. The first group of a project becomes its default. */
export async function appendToGroup(
  { places, groups, defaultGroup }: Settings,
  { name, references, description }: { name: string; references: readonly string[]; description?: string | undefined },
): Promise<Appended> {
  let group: Group = { description: '', tools: [] };
  let added: readonly string[] = [];
  const written = await writeGroup(
    places,
    name,
    (current) => {
      // Another process may have added some of them meanwhile.
      added = references.filter((reference) => !current.tools.includes(reference));
      group = { description: description ?? current.description, tools: [...current.tools, ...added] };
      return group;
    },
    groups.get(name),
  );
  if (!written.ok) return written;
  let isDefault = defaultGroup === name;
  // A project without a `config.json` gets one with its first group, so that its mode is that of a project.
  const needsDefault = defaultGroup === undefined && groups.size === 0;
  if (!needsDefault) return { ok: true, group, added, isDefault };
  const set = await writeConfig(places.project, (fields) => {
    isDefault = fields.defaultGroup === undefined || fields.defaultGroup === name;
    return { ...fields, defaultGroup: fields.defaultGroup ?? name };
  });
  return set.ok ? { ok: true, group, added, isDefault } : set;
}

/** The references of `--tools`: names of tools and files have no commas. */
export function splitReferences(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
