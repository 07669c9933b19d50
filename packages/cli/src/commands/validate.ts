import { loadSchemas } from '@schemakit/core';
import { printFindings } from '../print-findings.ts';
import { printJson } from '../print-json.ts';

/** `schemakit validate <path>...`: checks schema files and says what is wrong, where, and what to do. */
export async function validate({ strict }: { strict: boolean }, ...paths: string[]): Promise<void> {
  const { schemas, findings } = await loadSchemas({ paths, strict });
  printFindings(findings);
  const results = schemas.map(({ file, main, status, messages, findings: own }) => ({
    file,
    namespace: main?.namespace ?? null,
    status,
    messages,
    findings: own,
    tools: Object.keys(Object(main?.tools ?? main?.routes)).length,
  }));
  const passed = results.filter(({ status }) => status).length;
  const failed = results.length - passed;
  const reason = results.length === 0 ? { error: findings[0]?.message ?? 'There is no schema.' } : {};
  printJson({ status: failed === 0 && results.length > 0, ...reason, total: results.length, passed, failed, results });
}
