import type { Settings } from '../settings/read-settings.ts';
import { type ChosenGroup, groupOf } from './group-of.ts';

/** The group that `add` adds to: the default one. A project without any group gets one named `default`. */
export function targetGroup(settings: Settings): ChosenGroup {
  const isFirst = settings.defaultGroup === undefined && settings.groups.size === 0;
  return isFirst ? { ok: true, name: 'default', group: { description: '', tools: [] } } : groupOf(settings, undefined);
}
