import { basename, join } from 'node:path';
import {
  createDiskCache,
  type ExposedTool,
  type FetchOptions,
  type Finding,
  type LoadedSchema,
  previewCall,
  SchemaKit,
  selectData,
} from '@schemakit/core';
import { trustCommand } from '@schemakit/core/internal';
import { toolNameOf } from '../../groups/load-group.ts';
import { type CommandResult, usageError } from '../../output/command-result.ts';
import { printFindings } from '../../output/print-findings.ts';
import { inEnvironment } from '../../settings/environment.ts';
import { cacheFolder } from '../../settings/settings-paths.ts';
import { importedFrom } from '../../sources/lock-files.ts';
import { type CallFlags, isPreview } from './call-flags.ts';
import { type CallEnd, callResult, previewResult, writeLog } from './call-result.ts';
import type { Input, Pair } from './read-input.ts';
import { typedPairs } from './typed-pairs.ts';
import { watchCall } from './watch-call.ts';
import { writeOutput } from './write-output.ts';

interface ToolCall {
  schema: LoadedSchema;
  routeName: string;
  /** Undefined if there is no such tool, which the call reports. */
  exposed: ExposedTool | undefined;
  input: Input;
  serverParams: Readonly<Record<string, string>>;
  flags: CallFlags;
}

export async function performCall(call: ToolCall): Promise<CommandResult> {
  const { schema, routeName, exposed, input, serverParams, flags } = call;
  const name = toolNameOf({ namespace: String(schema.main?.namespace), toolName: routeName });
  const typed =
    input.kind === 'pairs'
      ? typedPairs(input.pairs, { inputs: exposed?.inputs ?? [], base: input.base })
      : { ok: true as const, value: input.value };
  if (!typed.ok) return typed.result;
  const common = { schema, userParams: typed.value, serverParams, routeName, onLog: writeLog };
  if (isPreview(flags)) {
    const filePaths = input.kind === 'pairs' ? pathsByName(input.pairs) : {};
    const preview = await previewCall({ ...common, filePaths });
    return previewResult(name, { ...preview, findings: namingFile(preview.findings, call) }, flags);
  }
  const secrets = schema.main?.requiredServerParams;
  const keys = Array.isArray(secrets) ? secrets.map(String) : [];
  const watched = watchCall({ isVerbose: flags.verbose, secrets: keys.flatMap((key) => serverParams[key] ?? []) });
  const end = await watched.run(() => fetchTool(common, flags));
  const findings = namingFile(end.findings, call);
  if (end.status && flags.output !== undefined) {
    const { executeRequest } = schema.handlerMap[routeName] ?? {};
    // The last answer is that of the last page.
    const body = executeRequest || end.pages ? undefined : watched.body();
    printFindings(findings);
    return writeOutput(flags.output, { toolName: name, body, data: end.data });
  }
  let { data } = end;
  if (end.status && flags.select !== undefined) {
    const selected = await selectData(data, flags.select);
    const [fault] = selected.findings;
    if (!selected.status) {
      return usageError(`--select: ${fault?.message ?? 'the expression does not fit'}.`, fault?.hint ?? '');
    }
    data = selected.data;
    if (data === null) process.stderr.write('The expression matches nothing.\n');
  }
  return callResult(name, { ...end, findings, data }, { keys, envFile: flags.envFile });
}

/** Where the files of an input are. Of those that share a name, none: a request has only the name. */
function pathsByName(pairs: readonly Pair[]): Record<string, string> {
  const files = pairs.flatMap(({ file }) => (file ? [[basename(file.path), file.path] as const] : []));
  const isOne = (name: string) => files.filter(([other]) => other === name).length === 1;
  return Object.fromEntries(files.filter(([name]) => isOne(name)));
}

function fetchTool(options: FetchOptions, { cache, refresh, output, timeout: timeoutMs }: CallFlags): Promise<CallEnd> {
  // Shared by all projects. It has no bytes of answers.
  const folder = join(cacheFolder(), 'answers');
  const usesCache = cache && output === undefined;
  return SchemaKit.fetch({ ...options, timeoutMs, refresh, ...(usesCache && { cache: createDiskCache({ folder }) }) });
}

function namingFile(findings: readonly Finding[], { schema, flags }: ToolCall): Finding[] {
  return findings.map((found) => {
    const finding = inEnvironment(found, flags);
    if (finding.hint === undefined) return finding;
    const command = trustCommand({ files: [schema.file], lockFile: flags.lock ?? importedFrom(schema.file)?.lockFile });
    const hint = finding.hint.replace('`timeoutMs` or `idleTimeoutMs`', '--timeout');
    return { ...finding, hint: hint.replace('schemakit trust <file>', command) };
  });
}
