import type { Finding, Severity } from '@schemakit/core';

export type SourceCode = `SRC00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `SRC01${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

/** Rules about sources of schemas, by code: how severe a breach is, and what the rule asks for. */
export const sourceCodes: Readonly<Record<SourceCode, readonly [Severity, string]>> = {
  SRC001: ['error', 'The address of a source is one that can be imported: https, ssh, file, a folder or a `.tar.gz`.'],
  SRC002: ['error', 'The source answers, and has what was asked for.'],
  SRC003: ['error', 'The registry of a source is JSON with a name and a list of schemas.'],
  SRC004: ['error', 'A path of a source stays in its folder, and works on every system.'],
  SRC005: ['error', 'A file of a source is a regular file: no link, no submodule, no device.'],
  SRC006: ['error', 'A source keeps to the limits of size.'],
  SRC007: ['error', 'A file has the hash that the registry notes for it.'],
  SRC008: ['error', 'The name of a source can be the name of a folder, and belongs to no other source.'],
  SRC009: ['error', '`_source.json` can be read, and has the documented shape.'],
  SRC010: ['error', 'One process at a time works on a source.'],
  SRC011: ['warning', 'A file that was edited here is kept; the version of the source was not written.'],
  SRC012: ['warning', 'A file that the source no longer has is kept.'],
  SRC013: ['warning', 'A schema that changed has to be trusted again before it is used.'],
  SRC014: ['error', 'The files of a source can be written.'],
  SRC015: ['error', 'A source of that name was imported.'],
  SRC016: ['error', 'There is a schema in the source.'],
  SRC017: ['error', 'An archive is a tar file, compressed with gzip or not at all.'],
  SRC018: ['error', 'The import was not stopped.'],
  SRC019: ['error', 'A folder or an archive on this machine is there.'],
};

/** Makes a finding about a source. */
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

/** A value, or why there is none. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; finding: Finding };

/** An outcome without a value. */
export function refuse(...about: Parameters<typeof sourceFinding>): { ok: false; finding: Finding } {
  return { ok: false, finding: sourceFinding(...about) };
}
