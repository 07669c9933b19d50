import type { Finding } from '@schemakit/core';
import { nearestWord } from '../nearest-word.ts';
import type { Group } from '../settings/config.ts';
import { isGroupName } from '../settings/group-name.ts';
import type { Settings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';

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
