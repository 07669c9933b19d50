import type { Finding, Severity } from '../finding.ts';

export type LegacyCode =
  | 'LEG001'
  | 'LEG002'
  | 'LEG003'
  | 'LEG004'
  | 'LEG005'
  | 'LEG006'
  | 'LEG007'
  | 'LEG008'
  | 'MIG001'
  | 'MIG002'
  | 'MIG003'
  | 'MIG004'
  | 'MIG005';

/** Rules about schemas of formats 1 and 2, by code: how severe a breach is, and what the rule asks for. */
export const legacyCodes: Readonly<Record<LegacyCode, readonly [Severity, string]>> = {
  LEG001: ['warning', 'A schema has format 3; one of format 1 is converted when it is loaded.'],
  LEG002: ['warning', 'The `namespace` of a format 1 schema has only the letters a to z.'],
  LEG003: ['warning', 'A format 1 schema has a `root`.'],
  LEG004: ['warning', 'A format 1 schema declares the server parameters that it uses.'],
  LEG005: ['warning', 'A modifier names a phase, pre, execute or post, and a handler that exists.'],
  LEG006: ['warning', 'The route of a format 1 schema starts with a slash.'],
  LEG007: ['error', 'A format 1 schema is an object of plain data and handlers.'],
  LEG008: ['info', 'A format 1 file imports nothing; what it needs moves to format 3 with it.'],
  MIG001: ['info', 'The file is of format 2: `routes` becomes `tools`, and `version` 3.0.0.'],
  MIG002: ['info', 'A file of format 3 needs no migration.'],
  MIG003: ['info', 'A file of format 1 is converted when it is loaded, and not rewritten.'],
  MIG004: ['error', 'A file that is migrated exports a `main` of format 2.'],
  MIG005: ['error', '`routes` and `version` stand in the text of `main`, where they can be changed.'],
};

/** Makes a finding of a rule about formats 1 and 2. */
export function legacyFinding(code: LegacyCode, path: string, message: string, hint?: string): Finding {
  return { code, severity: legacyCodes[code][0], path, message, ...(hint !== undefined && { hint }) };
}
