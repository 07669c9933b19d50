import { resolve } from 'node:path';
import { checkArguments } from '../format/arguments.ts';
import { type CheckResult, checkResult } from '../format/check-result.ts';
import { defaultAllowlist } from './libraries.ts';
import { readModuleFile } from './read-file.ts';
import { readModule } from './read-module.ts';

/** Scans a schema file for what handlers may not do (specification 2.7), without running it. */
export async function scanSecurity(filePath: string): Promise<CheckResult> {
  const problems = checkArguments('scanSecurity', { filePath }, { filePath: 'text' });
  if (problems.length > 0) return checkResult(problems);
  const file = resolve(filePath);
  const read = readModuleFile(file);
  const found = read.ok ? readModule(read.source, { file, libraries: defaultAllowlist }).findings : [read.finding];
  return checkResult(found.map((finding) => ({ ...finding, file })));
}
