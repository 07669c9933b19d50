import type { Finding, Severity } from '@schemakit/core';

export type SettingsCode = `SET00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

/** Rules about settings, by code: how severe a breach is, and what the rule asks for. */
export const settingsCodes: Readonly<Record<SettingsCode, readonly [Severity, string]>> = {
  SET001: ['error', 'A settings file can be read.'],
  SET002: ['error', 'A settings file is JSON.'],
  SET003: ['error', 'A value in a settings file is of the documented kind.'],
  SET004: ['warning', 'A field in a settings file is a known one. Unknown fields are kept.'],
  SET005: ['warning', 'A file of secrets can be read by its owner alone.'],
  SET006: ['error', 'A settings file can be written.'],
  SET007: ['error', 'A group that is used is there.'],
  SET008: [
    'error',
    'The name of a group is made of letters, digits, `.`, `_` and `-`, and begins with a letter or a digit.',
  ],
  SET009: ['error', 'A reference in a group leads to something that is there.'],
};

/** Makes a finding about settings. */
export function settingsFinding(
  code: SettingsCode,
  message: string,
  more: Partial<Pick<Finding, 'path' | 'hint' | 'file' | 'line' | 'column'>> = {},
): Finding {
  return { code, severity: settingsCodes[code][0], path: '', message, ...more };
}
