import type { Finding } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import { mainOf } from '../format/main-of.ts';
import { readSchema } from '../format/read-schema.ts';
import { needsLoading, unreadable } from './resolve-record.ts';
import { findOriginalRecord, findRecord } from './schema-record.ts';

/** Checks a `main` by itself. */
export function validateMain(main: unknown): Finding[] {
  const findings: Finding[] = [];
  try {
    readSchema(main, (finding) => findings.push(finding));
  } catch (error) {
    findings.push(unreadable(error));
  }
  return findings;
}

/** Checks what `loadSchema` returned, with everything it found, or a `main`, which says what only loading gives. */
export function validateSchema(schema: unknown): Finding[] {
  try {
    if (isObject(schema) && Array.isArray(schema.findings) && 'main' in schema) return schema.findings as Finding[];
    const main = mainOf(schema);
    const findings: Finding[] = [];
    const read = readSchema(main, (finding) => findings.push(finding));
    const wasLoaded = isObject(main) && (findRecord(main) ?? findOriginalRecord(main)) !== undefined;
    if (read && !wasLoaded) findings.push(...needsLoading(read));
    return findings;
  } catch (error) {
    return [unreadable(error)];
  }
}
