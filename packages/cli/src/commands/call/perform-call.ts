import { join } from 'node:path';
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
import { type CommandResult, usageError } from '../../output/command-result.ts';
import { inEnvironment } from '../../settings/environment.ts';
import { isRecord, parseJson } from '../../settings/parse-json.ts';
import { cacheFolder } from '../../settings/settings-paths.ts';
import { importedFrom } from '../../sources/lock-files.ts';
import { type CallFlags, isPreview } from './call-flags.ts';
import { type CallEnd, callResult, previewResult, writeLog } from './call-result.ts';
import type { Input, Pair } from './read-input.ts';

export interface ToolCall {
  /** `<namespace>_<toolName>`. */
  name: string;
  schema: LoadedSchema;
  routeName: string;
  /** Its parameters; needed for `key=value` input only. */
  inputs: () => ExposedTool['inputs'];
  input: Input;
  serverParams: Readonly<Record<string, string>>;
  flags: CallFlags;
}

export async function performCall(call: ToolCall): Promise<CommandResult> {
  const { name, schema, routeName, inputs, input, serverParams, flags } = call;
  if (input.kind === 'wrong') return usageError(input.problem, input.fix);
  const typed = input.kind === 'pairs' ? typedPairs(input.pairs, inputs()) : { ok: true as const, value: input.value };
  if (!typed.ok) return usageError(typed.problem, typed.fix);
  const common = { schema, userParams: typed.value, serverParams, routeName, onLog: writeLog };
  if (isPreview(flags)) {
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
    return usageError(`--select: ${fault?.message ?? 'the expression does not fit'}.`, fault?.hint ?? '');
  }
  if (selected.data === null) process.stderr.write('The expression matches nothing.\n');
  return callResult(name, { ...end, findings, data: selected.data }, { keys });
}

function fetchTool(options: FetchOptions, { cache, refresh }: CallFlags): Promise<CallEnd> {
  // Shared by all projects.
  const folder = join(cacheFolder(), 'answers');
  return SchemaKit.fetch({ ...options, refresh, ...(cache && { cache: createDiskCache({ folder }) }) });
}

function namingFile(findings: readonly Finding[], { schema, flags }: ToolCall): Finding[] {
  return findings.map((found) => {
    const finding = inEnvironment(found, flags);
    if (finding.hint === undefined) return finding;
    const command = trustCommand({ files: [schema.file], lockFile: flags.lock ?? importedFrom(schema.file)?.lockFile });
    return { ...finding, hint: finding.hint.replace('schemakit trust <file>', command) };
  });
}

type TypedPairs = { ok: true; value: Record<string, unknown> } | { ok: false; problem: string; fix: string };

/** Makes an input of `key=value` pairs. Input validation converts numbers and booleans, and rejects unknown keys. */
function typedPairs(pairs: readonly Pair[], inputs: ExposedTool['inputs']): TypedPairs {
  const values = new Map<string, unknown>();
  for (const { key, text } of pairs) {
    const input = inputs.find(({ name, aliases }) => name === key || aliases.includes(key));
    const primitive = input?.z.primitive;
    const known = values.get(key);
    if (primitive === 'array') {
      const items = readItems(text);
      if (items === undefined) {
        return wrong(`${key}: ${text} is not a JSON array.`, `Write ${key}='["a","b"]', or ${key}=a ${key}=b.`);
      }
      values.set(key, [...(Array.isArray(known) ? known : []), ...items]);
      continue;
    }
    if (values.has(key)) return wrong(`${key} is given twice.`, `Write ${key}=<value> once.`);
    if (primitive === 'object') {
      const reading = parseJson(text);
      if (!reading.ok || !isRecord(reading.value)) {
        return wrong(`${key}: ${text} is not a JSON object.`, `Write ${key}='{"name":"value"}'.`);
      }
      values.set(key, reading.value);
    } else values.set(key, text);
  }
  return { ok: true, value: Object.fromEntries(values) };
}

function readItems(text: string): unknown[] | undefined {
  if (!/^\s*\[/.test(text)) return [text];
  const reading = parseJson(text);
  return reading.ok && Array.isArray(reading.value) ? reading.value : undefined;
}

function wrong(problem: string, fix: string): TypedPairs {
  return { ok: false, problem, fix };
}
