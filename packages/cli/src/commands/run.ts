import { exposeSchemaPrompts, exposeSchemas, loadSchemas } from '@schemakit/core';
import { serveStdio } from '@schemakit/server';
import { environment } from '../environment.ts';
import { printFindings } from '../print-findings.ts';

/** `schemakit run <path>...`: serves the tools of schemas over stdio. Secrets come from the environment. */
export async function run(_flags: object, ...paths: string[]): Promise<void> {
  const { schemas, findings } = await loadSchemas({ paths });
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  const usable = schemas.filter(({ status }) => status);
  if (usable.length === 0) {
    process.exitCode = 1;
    return;
  }
  const tools = exposeSchemas(usable, { serverParams: environment() });
  serveStdio({
    name: 'schemakit',
    version: '0.1.0',
    tools,
    prompts: exposeSchemaPrompts(usable),
    onError: (error) => process.stderr.write(`schemakit: ${error.message.split('\n', 1)[0]}\n`),
  });
}
