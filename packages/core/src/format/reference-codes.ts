import type { Finding, Severity } from './finding.ts';

export type ReferenceCode = `REF00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}` | `ID00${1 | 2 | 3 | 4 | 5 | 6}`;

/** Rules about references to tools and other parts of schemas, by code: how severe a breach is, and what the rule asks for. */
export const referenceCodes: Readonly<Record<ReferenceCode, readonly [Severity, string]>> = {
  REF001: ['error', 'A reference is one of the known forms.'],
  REF002: ['error', 'A file in a reference is `<source>/<file>.mjs`, inside its source.'],
  REF003: ['error', 'The type in a reference is `tool`, `resource`, `prompt` or `skill`.'],
  REF004: ['error', 'A reference names something after `::`.'],
  REF005: ['warning', 'No two tools have the same name.'],
  REF006: ['error', 'A reference names a tool that there is.'],
  REF007: ['error', 'A reference names one tool.'],
  REF008: ['error', 'Where a tool is needed, a reference names a tool.'],
  ID001: ['error', 'An id has a slash.'],
  ID002: ['error', 'An id begins with a namespace: lowercase letters, digits and hyphens.'],
  ID003: ['error', 'The type in an id is `tool`, `resource`, `prompt`, `skill` or `list`.'],
  ID004: ['error', 'An id ends with a name.'],
  ID005: ['warning', 'An id names its type.'],
  ID006: ['error', 'Where a full id is needed, it is `<namespace>/<type>/<name>`.'],
};

/** Makes a finding of a rule about references. */
export function referenceFinding(code: ReferenceCode, path: string, message: string, hint?: string): Finding {
  return { code, severity: referenceCodes[code][0], path, message, ...(hint !== undefined && { hint }) };
}
