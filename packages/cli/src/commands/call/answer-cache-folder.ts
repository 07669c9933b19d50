import { join } from 'node:path';
import { settingsPlaces } from '../../settings/settings-places.ts';

/** Where the command keeps answers of tools with `preload`, for all projects. */
export function answerCacheFolder(): string {
  return join(settingsPlaces().home.folder, 'cache', 'answers');
}
