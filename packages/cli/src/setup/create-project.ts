import { existsSync } from 'node:fs';
import type { Settings } from '../settings/read-settings.ts';
import { type SettingsWrite, writeConfig, writeGroup } from '../settings/write-settings.ts';

/** Makes the folder of the project, in the mode agent and with a default group. Gives the paths of what was made. */
export async function createProject(
  { places, groups, defaultGroup }: Settings,
  group: string,
): Promise<SettingsWrite & { created: string[]; defaultGroup: string }> {
  const { project } = places;
  const created = [project.config].filter((file) => !existsSync(file));
  const name = defaultGroup ?? (groups.has(group) ? group : ([...groups.keys()][0] ?? group));
  if (!groups.has(name)) {
    const made = await writeGroup(places, name, (current) => current);
    if (!made.ok) return { ...made, created, defaultGroup: name };
  }
  const written = await writeConfig(project, (fields) => ({ mode: 'agent', defaultGroup: name, ...fields }));
  return { ...written, created, defaultGroup: name };
}
