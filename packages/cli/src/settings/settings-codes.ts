import type { Finding, Severity } from '@schemakit/core';

export type SettingsCode = `SET00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | 'SET010' | 'SET011';

export const settingsCodes: Readonly<Record<SettingsCode, readonly [Severity, string]>> = {
  SET001: ['error', 'A settings file can be read.'],
  SET002: ['error', 'A settings file is JSON.'],
  SET003: ['error', 'A value in a settings file has the documented type.'],
  SET004: ['warning', 'A field in a settings file is known. Unknown fields are preserved.'],
  SET005: ['warning', 'Only its owner can read a file of secrets.'],
  SET006: ['error', 'A settings file can be written.'],
  SET007: ['error', 'The group exists.'],
  SET008: ['error', 'A group name consists of letters, digits, `.`, `_` and `-`, and starts with a letter or a digit.'],
  SET009: ['error', 'A reference in a group names an existing schema or tool.'],
  SET010: ['warning', 'A line in a file of secrets is `NAME=value`, or a comment.'],
  SET011: ['error', 'An environment of a project has an http(s) URL for each namespace in its `roots`.'],
};

export function settingsFinding(
  code: SettingsCode,
  message: string,
  more: Partial<Pick<Finding, 'path' | 'hint' | 'file' | 'line' | 'column'>> = {},
): Finding {
  return { code, severity: settingsCodes[code][0], path: '', message, ...more };
}

/** Whether a finding ends every command that reads the settings. A wrong root only concerns those that use its environment. */
export function endsCommands({ code, severity }: Finding): boolean {
  return severity === 'error' && code !== 'SET011';
}
