import type { Finding, Severity } from '@schemakit/core';

export type ExportCode =
  | `EXP00${1 | 2 | 3 | 4 | 5}`
  | `EXP01${0 | 1 | 2 | 3 | 4}`
  | `EXP02${0 | 1 | 2 | 3 | 4 | 5 | 6}`;

export const exportCodes: Readonly<Record<ExportCode, readonly [Severity, string]>> = {
  EXP001: ['error', 'The files or the group have something to export.'],
  EXP002: ['error', 'The name is one that the format of the export allows.'],
  EXP003: ['error', 'A description for the MCP registry has at most 100 characters.'],
  EXP004: ['error', 'The flags are valid and go together.'],
  EXP005: ['error', 'The file can be written, and no other file is overwritten.'],
  EXP010: ['warning', 'A tool sends the request that it describes. One whose handler makes the request is left out.'],
  EXP011: ['info', 'A tool has a method and path of its own. Otherwise its path ends in `#` and its name.'],
  EXP012: ['warning', 'What a schema has is a request. Resources, prompts and skills are left out of OpenAPI.'],
  EXP013: ['warning', 'The root of a schema is an http(s) address. The tool is left out.'],
  EXP014: ['warning', 'A file that a schema reads can be put into a bundle. It is left out.'],
  EXP020: ['info', 'A request and its answer are not changed by a handler, which OpenAPI cannot say.'],
  EXP021: ['info', 'A call sends one request. OpenAPI cannot say how pages are gathered.'],
  EXP022: ['info', 'A request is not signed. OpenAPI cannot say how.'],
  EXP023: ['info', 'A secret is a key, a token or a login on its own. OpenAPI has no scheme for others.'],
  EXP024: [
    'info',
    'A value in a request is one value of the caller, or fixed. OpenAPI cannot say how others are made.',
  ],
  EXP025: ['info', 'A value is sent. Body parameters of GET and HEAD are left out.'],
  EXP026: ['info', 'The value of a header is the same each time. OpenAPI cannot say that a key is made for each call.'],
};

/** A part of a schema that the export does not have, or not fully. */
export interface Omission {
  /** See docs/errors.md. `EXP01…`: a whole part is left out, or stands elsewhere. */
  code: ExportCode;
  /** The tool on MCP, or the file where it is about a whole schema. */
  tool: string;
  message: string;
  /** What to do about it. */
  hint: string;
}

export type NoteOmission = (code: ExportCode, message: string, hint: string) => void;

export function exportFinding(code: ExportCode, message: string, hint: string): Finding {
  return { code, severity: exportCodes[code][0], path: '', message, hint };
}
