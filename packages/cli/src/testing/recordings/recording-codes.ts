import type { Finding, Severity } from '@schemakit/core';

export type RecordingCode = `REC00${1 | 2 | 3}`;

/** Rules about recorded answers, by code: how severe a breach is, and what the rule asks for. */
export const recordingCodes: Readonly<Record<RecordingCode, readonly [Severity, string]>> = {
  REC001: ['error', 'A test that is replayed makes the requests that were recorded, and no others.'],
  REC002: ['error', 'A recording can be read, and is whole.'],
  REC003: ['error', 'A recording can be written, and shows no secret.'],
};

/** Makes a finding about a recording. */
export function recordingFinding(code: RecordingCode, message: string, hint: string, file?: string): Finding {
  const [severity] = recordingCodes[code];
  return { code, severity, path: '', message, hint, ...(file !== undefined && { file }) };
}
