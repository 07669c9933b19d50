import { exposeSchemas, type Finding, SchemaKit } from '@schemakit/core';
import { loadWithLock } from '../../load-with-lock.ts';
import { openSecrets } from '../../open-settings.ts';
import { type CommandResult, failedOver } from '../../output/command-result.ts';
import { printFindings } from '../../print-findings.ts';
import { importedFrom } from '../../sources/lock-files.ts';
import type { CallFlags } from './call-flags.ts';
import { callTool } from './call-tool.ts';
import type { Input } from './read-input.ts';

/** Calls a tool of a file that the user named. */
export async function callFile(
  flags: CallFlags,
  { file, toolName: routeName }: { file: string; toolName: string },
  input: Input,
): Promise<CommandResult> {
  // To name a file of a source is not to approve its address.
  const imported = importedFrom(file);
  const held = { paths: [file], lock: flags.lock ?? imported?.lockFile };
  const { loaded, refused } = await loadWithLock(held, async (options) => {
    const schema = await SchemaKit.loadSchema({
      filePath: file,
      approveRoot: imported === undefined,
      isolation: flags.isolation,
      ...options,
    });
    return { schema, schemas: [schema], findings: schema.findings };
  });
  const { schema } = loaded;
  if (!schema.status) {
    printFindings(schema.findings);
    return didNotLoad(file, { findings: schema.findings, refused });
  }
  const inputs = () => exposeSchemas([schema]).find(({ toolName }) => toolName === routeName)?.inputs ?? [];
  const name = `${String(schema.main?.namespace)}_${routeName}`;
  return callTool({ name, schema, routeName, inputs, input, serverParams: openSecrets(), flags });
}

function didNotLoad(
  file: string,
  { findings, refused }: { findings: readonly Finding[]; refused: readonly Finding[] },
): CommandResult {
  const result = failedOver(refused.length > 0 ? refused : findings);
  const messages = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const { document } = result;
  if (refused.length > 0) return { ...result, document: { ...document, messages } };
  const fix = `Run: schemakit validate ${file}`;
  return { ...result, document: { status: false, error: `${file} did not load.`, messages, fix } };
}
