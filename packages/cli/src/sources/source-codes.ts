import type { Finding, Severity } from '@schemakit/core';

export type SourceCode = `SRC00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `SRC01${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

export const sourceCodes: Readonly<Record<SourceCode, readonly [Severity, string]>> = {
  SRC001: ['error', 'The address of a source is supported: https, ssh, file, a folder or a `.tar.gz`.'],
  SRC002: ['error', 'The source can be reached and has the requested files.'],
  SRC003: ['error', 'The registry of a source is JSON with a name and a list of schemas.'],
  SRC004: ['error', 'A path of a source stays in its folder and works on every system.'],
  SRC005: ['error', 'A file of a source is a regular file: no link, no submodule, no device.'],
  SRC006: ['error', 'A source stays within the size limits.'],
  SRC007: ['error', 'A file has the hash from the registry.'],
  SRC008: ['error', 'The name of a source is a valid folder name and not taken.'],
  SRC009: ['error', '`_source.json` can be read and has the documented structure.'],
  SRC010: ['error', 'Only one process at a time changes a source.'],
  SRC011: ['warning', 'A locally edited file was kept instead of the version of the source.'],
  SRC012: ['warning', 'A file that the source no longer has was kept.'],
  SRC013: ['warning', 'A changed schema must be trusted again before use.'],
  SRC014: ['error', 'The files of a source can be written.'],
  SRC015: ['error', 'A source with this name was imported.'],
  SRC016: ['error', 'The source contains a schema.'],
  SRC017: ['error', 'An archive is a tar file, optionally gzipped.'],
  SRC018: ['warning', 'A schema that moved to another origin lost the grants to send secrets to the old one.'],
  SRC019: ['error', 'A local folder or archive exists.'],
};

export function sourceFinding(
  code: SourceCode,
  message: string,
  {
    path = '',
    hint,
    file,
    severity = sourceCodes[code][0],
  }: { path?: string; hint?: string | undefined; file?: string | undefined; severity?: Severity } = {},
): Finding {
  return {
    code,
    severity,
    path,
    message,
    ...(hint !== undefined && { hint }),
    ...(file !== undefined && { file }),
  };
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; finding: Finding };

export function refuse(...about: Parameters<typeof sourceFinding>): { ok: false; finding: Finding } {
  return { ok: false, finding: sourceFinding(...about) };
}

export function overLimit(
  subject: string,
  { size, limit, unit = 'bytes', hint }: { size: number; limit: number; unit?: string; hint?: string },
): Finding {
  return sourceFinding('SRC006', `${subject} has ${size} ${unit}; the limit is ${limit}`, { hint });
}
