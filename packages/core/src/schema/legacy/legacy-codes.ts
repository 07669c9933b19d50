import { findingMaker, type MakeFinding } from '../finding.ts';

/** Rules about schemas of formats 1 and 2, by code: how severe a breach is, and what the rule asks for. */
export const legacyCodes = {
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
} as const;

export type LegacyCode = keyof typeof legacyCodes;

/** Makes a finding of a rule about formats 1 and 2. */
export const legacyFinding: MakeFinding<LegacyCode> = findingMaker(legacyCodes);
