import type { Finding, Severity } from '@schemakit/core';

export type ConfigCode = `AGS00${1 | 2 | 3 | 4 | 5 | 6}`;

/** Rules of the settings of agent servers, by code. */
export const configCodes: Readonly<Record<ConfigCode, readonly [Severity, string]>> = {
  AGS001: ['error', 'A setting is there where it is required, and has the documented type.'],
  AGS002: ['error', 'A setting exists.'],
  AGS003: ['error', 'The tools of a server have different names.'],
  AGS004: ['error', 'The schemas of a tool source have loaded.'],
  AGS005: ['error', 'A tool, prompt or resource that a manifest names by id is in one of the schemas.'],
  AGS006: ['warning', 'A tool that may destroy something is allowed (`allowDestructive`). Others are left out.'],
};

export function configFinding(code: ConfigCode, path: string, message: string, hint?: string): Finding {
  return { code, severity: configCodes[code][0], path, message, ...(hint !== undefined && { hint }) };
}
