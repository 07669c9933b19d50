import { existsSync } from 'node:fs';
import { openSecrets, openSettings } from '../open-settings.ts';
import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import { settingsPlaces } from '../settings/settings-places.ts';
import { filesSource } from './files-source.ts';
import type { ServingFlags } from './serving-flags.ts';
import type { ServingSource } from './serving-source.ts';

export type ChosenSource =
  | { ok: true; source: ServingSource; serverParams: Readonly<Record<string, string>>; folder: string | undefined }
  | { ok: false; result: CommandResult };

/**
 * What a command is to serve: files and folders, groups that are named, or the default group.
 *
 * @param options.withOthers - Whether a URL may ask for the other groups where none is named.
 */
export async function chooseSource(
  { group: named = [], lock, isolation }: Pick<ServingFlags, 'group' | 'lock' | 'isolation'>,
  paths: readonly string[],
  { withOthers = false }: { withOthers?: boolean } = {},
): Promise<ChosenSource> {
  if (paths.length > 0 && named.length > 0) {
    return { ok: false, result: misused('Name either files or a group.', 'Leave out the paths, or --group.') };
  }
  if (paths.length > 0) {
    const serverParams = openSecrets();
    const source = filesSource(paths, { lock, isolation, serverParams });
    return { ok: true, source, serverParams, folder: homeFolder() };
  }
  const opened = openSettings();
  if (!opened.ok) return opened;
  const { settings } = opened;
  const serverParams = openSecrets(settings);
  const { groupsSource } = await import('./groups-source.ts');
  const groups = groupsSource(settings, { named, withOthers, lock, isolation, serverParams });
  if (!groups.ok) return { ok: false, result: failedOver(groups.findings) };
  return { ok: true, source: groups.source, serverParams, folder: homeFolder() };
}

/** The global folder; undefined where there is none. Commands do not make one by the way. */
function homeFolder(): string | undefined {
  const { folder } = settingsPlaces().home;
  return existsSync(folder) ? folder : undefined;
}
