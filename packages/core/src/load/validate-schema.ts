import { resolve } from 'node:path';
import { analyzeModule } from '../module/analyze-module.ts';
import { checkArguments } from '../schema/arguments.ts';
import { type CheckResult, checkResult, type Finding } from '../schema/finding.ts';
import { collectFindings, createFindingList } from '../schema/finding-list.ts';
import { isObject } from '../schema/json.ts';
import { mainOf } from '../schema/main-of.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import { defaultAllowlist } from './libraries.ts';
import { readModuleFile } from './read-file.ts';
import { needsLoading, unreadable } from './resolve-record.ts';
import { findOriginalRecord, findRecord, requestHooks } from './schema-record.ts';

export function validateMain(main: unknown): Finding[] {
  const list = createFindingList();
  try {
    collectFindings(list, (report) => parseSchema(main, report));
  } catch (error) {
    list.add(unreadable(error));
  }
  return list.toArray();
}

/** The findings of a loaded schema, or those of a bare `main`, which include the parts that only loading adds. */
export function validateSchema(schema: unknown): Finding[] {
  try {
    if (isObject(schema) && Array.isArray(schema.findings) && 'main' in schema) return schema.findings as Finding[];
    const main = mainOf(schema);
    const list = createFindingList();
    const known = isObject(main) ? (findRecord(main) ?? findOriginalRecord(main)) : undefined;
    const hooks = typeof known === 'object' ? { requestHook: requestHooks(known) } : {};
    const read = collectFindings(list, (report) => parseSchema(main, report, hooks));
    if (read && known === undefined) needsLoading(read).forEach(list.add);
    return list.toArray();
  } catch (error) {
    return [unreadable(error)];
  }
}

/** Runs the security scan on a schema file (docs/security.md), without running the file. */
export async function scanSecurity(filePath: string): Promise<CheckResult> {
  const problems = checkArguments('scanSecurity', { filePath }, { filePath: 'text' });
  if (problems.length > 0) return checkResult(problems);
  const file = resolve(filePath);
  const read = readModuleFile(file);
  const found = read.ok ? analyzeModule(read.source, { file, libraries: defaultAllowlist }).findings : [read.finding];
  return checkResult(found.map((finding) => ({ ...finding, file })));
}
