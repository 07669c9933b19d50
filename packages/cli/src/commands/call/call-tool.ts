import {
  createDiskCache,
  type ExposedTool,
  type FetchOptions,
  type Finding,
  type LoadedSchema,
  previewCall,
  SchemaKit,
  selectData,
  trustCommand,
} from '@schemakit/core';
import { type CommandResult, misused } from '../../output/command-result.ts';
import { importedFrom } from '../../sources/imported-from.ts';
import { answerCacheFolder } from './answer-cache-folder.ts';
import type { CallFlags } from './call-flags.ts';
import { type CallEnd, callResult, writeLog } from './call-result.ts';
import { previewResult } from './preview-result.ts';
import type { Input } from './read-input.ts';
import { typedPairs } from './typed-pairs.ts';

/** A tool of a loaded schema, with what was typed for it. */
export interface ToolCall {
  /** `<namespace>_<toolName>`. */
  name: string;
  schema: LoadedSchema;
  routeName: string;
  /** Its inputs; asked for only where pairs were typed. */
  inputs: () => ExposedTool['inputs'];
  input: Input;
  serverParams: Readonly<Record<string, string>>;
  flags: CallFlags;
}

/** Calls a tool, or shows what its call would send, and selects from the answer. */
export async function callTool(call: ToolCall): Promise<CommandResult> {
  const { name, schema, routeName, inputs, input, serverParams, flags } = call;
  if (input.kind === 'wrong') return misused(input.problem, input.fix);
  const typed = input.kind === 'pairs' ? typedPairs(input.pairs, inputs()) : { ok: true as const, value: input.value };
  if (!typed.ok) return misused(typed.problem, typed.fix);
  const common = { schema, userParams: typed.value, serverParams, routeName, onLog: writeLog };
  if (flags.dryRun || flags.curl) {
    const preview = await previewCall(common);
    return previewResult(name, { ...preview, findings: namingFile(preview.findings, call) }, flags);
  }
  const end = await fetchTool(common, flags);
  const secrets = schema.main?.requiredServerParams;
  const keys = Array.isArray(secrets) ? secrets.map(String) : [];
  const findings = namingFile(end.findings, call);
  if (!end.status || flags.select === undefined) return callResult(name, { ...end, findings }, { keys });
  const selected = await selectData(end.data, flags.select);
  if (!selected.status) {
    const [fault] = selected.findings;
    return misused(`--select: ${fault?.message ?? 'the expression does not fit'}.`, fault?.hint ?? '');
  }
  if (selected.data === null) process.stderr.write('The expression selects nothing.\n');
  return callResult(name, { ...end, findings, data: selected.data }, { keys });
}

function fetchTool(options: FetchOptions, { cache, refresh }: CallFlags): Promise<CallEnd> {
  const folder = answerCacheFolder();
  return SchemaKit.fetch({ ...options, refresh, ...(cache && { cache: createDiskCache({ folder }) }) });
}

/** The library does not know the file of a schema everywhere, and leaves a place for it in the commands that it names. */
function namingFile(findings: readonly Finding[], { schema, flags }: ToolCall): Finding[] {
  return findings.map((finding) => {
    if (finding.hint === undefined) return finding;
    const command = trustCommand({ files: [schema.file], lockFile: flags.lock ?? importedFrom(schema.file)?.lockFile });
    return { ...finding, hint: finding.hint.replace('schemakit trust <file>', command) };
  });
}
