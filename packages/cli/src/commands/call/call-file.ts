import { exposeSchemas, type Finding, SchemaKit } from '@schemakit/core';
import { loadWithLock } from '../../groups/load-with-lock.ts';
import { type CommandResult, failWith } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { environmentProblem, namespacesOf, openEnvironment } from '../../settings/environment.ts';
import { openSecrets } from '../../settings/open-settings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { importedFrom } from '../../sources/lock-files.ts';
import { askToSend } from '../../sources/send-grants.ts';
import { type CallFlags, isPreview } from './call-flags.ts';
import { performCall } from './perform-call.ts';
import type { Input } from './read-input.ts';

export async function callFile(
  flags: CallFlags,
  { file, toolName: routeName }: { file: string; toolName: string },
  input: Input,
): Promise<CommandResult> {
  const settings = readSettings();
  const opened = await openEnvironment(flags, settings);
  if (!opened.ok) return opened.result;
  const { environment } = opened;
  // Naming a file of an imported source does not approve its root URL.
  const imported = importedFrom(file);
  if (!isPreview(flags)) await askToSend([file], flags);
  const held = { paths: [file], named: flags.lock, imported: imported?.lockFile };
  const { loaded, refused } = await loadWithLock(held, async (options) => {
    const schema = await SchemaKit.loadSchema({
      filePath: file,
      approveRoot: imported === undefined,
      isolation: flags.isolation,
      ...(environment && { roots: environment.roots }),
      ...options,
    });
    return { schema, schemas: [schema], findings: schema.findings };
  });
  const { schema } = loaded;
  // The schema itself may be fine, but the lock file is not.
  if (schema.status && refused.length > 0) return failWith(refused);
  if (!schema.status) {
    printFindings(schema.findings);
    return didNotLoad(file, { findings: schema.findings, refused });
  }
  const elsewhere = environmentProblem(environment, namespacesOf([schema]));
  if (elsewhere !== undefined) return elsewhere;
  const inputs = () => exposeSchemas([schema]).find(({ toolName }) => toolName === routeName)?.inputs ?? [];
  const serverParams = openSecrets(settings, flags);
  const name = `${String(schema.main?.namespace)}_${routeName}`;
  return performCall({ name, schema, routeName, inputs, input, serverParams, flags });
}

function didNotLoad(
  file: string,
  { findings, refused }: { findings: readonly Finding[]; refused: readonly Finding[] },
): CommandResult {
  const result = failWith(refused.length > 0 ? refused : findings);
  const messages = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const { document } = result;
  if (refused.length > 0) return { ...result, document: { ...document, messages } };
  const fix = `Run: schemakit validate ${file}`;
  return { ...result, document: { status: false, error: `${file} did not load.`, messages, fix } };
}
