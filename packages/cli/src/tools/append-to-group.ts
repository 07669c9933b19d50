import type { Finding } from '@schemakit/core';
import type { Group } from '../settings/config.ts';
import type { Settings } from '../settings/read-settings.ts';
import { writeConfig, writeGroup } from '../settings/write-settings.ts';

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
