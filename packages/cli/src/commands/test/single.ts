import { statSync } from 'node:fs';
import { loadSchemas } from '@schemakit/core';
import { loadWithLock } from '../../load-with-lock.ts';
import { type CommandResult, failed, failedOver } from '../../output/command-result.ts';
import { printFindings } from '../../print-findings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { routesOf } from '../../testing/test-case.ts';
import { readTestOptions, type TestFlags } from '../../testing/test-options.ts';
import { testSchemas } from '../../testing/test-schemas.ts';

/** `schemakit test single <path>`: the tests of a file, or of all files of a folder. It needs no settings. */
export async function testSingle(flags: TestFlags, path: string): Promise<CommandResult> {
  const read = readTestOptions(flags);
  if (!read.ok) return read.result;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    return failed('notFound', { error: `There is no file ${path}.`, fix: 'Check the path.' });
  }
  const { lock } = flags;
  const { loaded, refused } = await loadWithLock({ paths: [path], lock }, (options) =>
    loadSchemas({ paths: [path], ...options }),
  );
  if (refused.length > 0) return failedOver(refused);
  const { schemas, findings } = loaded;
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  if (schemas.length === 0) return failedOver(findings);
  const subject = { schemas, routes: routesOf(schemas), lost: [], skipsWithoutSecrets: false };
  return testSchemas(subject, read.options, readSettings());
}
