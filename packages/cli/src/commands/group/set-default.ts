import { groupOf } from '../../groups/groups.ts';
import { openSettings } from '../../open-settings.ts';
import { type CommandResult, failedOver } from '../../output/command-result.ts';
import { writeConfig } from '../../settings/write-settings.ts';

/** `schemakit group set-default <name>`: the group that commands use where none is named. */
export async function setDefault(_flags: Record<never, never>, name: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const chosen = groupOf(opened.settings, name);
  if (!chosen.ok) return failedOver([chosen.finding]);
  const written = await writeConfig(opened.settings.places.project, (fields) => ({ ...fields, defaultGroup: name }));
  if (!written.ok) return failedOver([written.finding]);
  return { document: { status: true, defaultGroup: name }, text: () => `The default group is ${name}.` };
}
