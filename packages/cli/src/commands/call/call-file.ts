import { exposeSchemas, type Finding } from '@schemakit/core';
import { loadFile } from '../../groups/load-file.ts';
import type { FilePart } from '../../index/file-part.ts';
import { type CommandResult, failWith, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { environmentProblem, namespacesOf, openEnvironment } from '../../settings/environment.ts';
import { openSecrets } from '../../settings/open-settings.ts';
import { readSettings } from '../../settings/read-settings.ts';
import { askForGrants } from '../../sources/send-grants.ts';
import { type CallFlags, isPreview } from './call-flags.ts';
import { performCall } from './perform-call.ts';
import type { Input } from './read-input.ts';

export async function callFile(
  flags: CallFlags,
  { file, type, name: part }: FilePart,
  input: Input,
): Promise<CommandResult> {
  const settings = readSettings();
  const opened = await openEnvironment(flags, settings);
  if (!opened.ok) return opened.result;
  const { environment } = opened;
  if (!isPreview(flags)) await askForGrants([file], flags);
  const { schema, refused } = await loadFile(file, { ...flags, environment });
  // The schema itself may be fine, but the lock file is not.
  if (schema.status && refused.length > 0) return failWith(refused);
  if (!schema.status) {
    printFindings(schema.findings);
    return didNotLoad(file, { findings: schema.findings, refused });
  }
  const elsewhere = environmentProblem(environment, namespacesOf([schema]));
  if (elsewhere !== undefined) return elsewhere;
  const exposed = exposeSchemas([schema]);
  const queries = exposed.filter(({ resource }) => type === 'resource' && resource?.resourceName === part);
  if (queries.length > 1) {
    const all = queries.map(({ toolName }) => `${file}::resource::${toolName}`).join(', ');
    return usageError(`The resource ${part} has ${queries.length} queries.`, `Call one of ${all}.`);
  }
  const routeName = queries[0]?.toolName ?? part;
  const tool = exposed.find(({ toolName }) => toolName === routeName);
  const serverParams = openSecrets(settings, flags);
  return performCall({ schema, routeName, exposed: tool, input, serverParams, flags });
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
