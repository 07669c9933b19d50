import { loadAgent } from '@schemakit/core';
import { type ModuleKind, readListModule } from '@schemakit/core/internal';
import { type CommandResult, failWith } from '../../output/command-result.ts';
import { shownPath } from '../../output/print-findings.ts';
import { printable } from '../../output/terminal-text.ts';
import { firstLine } from '../../output/text-table.ts';
import { isRecord } from '../../settings/parse-json.ts';
import { section, titleLines } from './describe-tool.ts';

/** Shows a file that is no schema. */
export async function describeModule(file: string, kind: ModuleKind | undefined): Promise<CommandResult | undefined> {
  if (kind === 'agent') return describeAgent(file);
  return kind === 'list' ? describeList(file) : undefined;
}

async function describeAgent(file: string): Promise<CommandResult> {
  const { agent, findings } = await loadAgent({ filePath: file });
  if (agent === null) return failWith(findings);
  const { name, description, model, inputSchema = null, requiredServerParams } = agent;
  const [tools, prompts, skills] = [agent.tools, agent.prompts, agent.skills].map((parts) => Object.keys(parts));
  const tests = agent.tests.map((test) => ({ description: test._description, input: test.input }));
  const document = {
    ...{ status: true, kind: 'agent', name, description, model, file, inputSchema },
    ...{ tools, prompts, skills, secrets: requiredServerParams.map((secret) => ({ name: secret })), tests },
  };
  const lines = (parts: readonly string[] = []) => parts.map((part) => `  ${printable(part)}`);
  const text = () =>
    [
      ...titleLines(`${name} (agent)`, description),
      `Model ${printable(model)}`,
      `From ${printable(shownPath(file))}`,
      ...section('Tools', lines(tools), 'none'),
      ...section('Prompts and skills', lines([...(prompts ?? []), ...(skills ?? [])])),
      ...section('Secrets', lines(requiredServerParams)),
      ...section('Tests', lines(tests.map((test) => firstLine(`${test.description ?? ''}: ${String(test.input)}`)))),
    ].join('\n');
  return { document, text };
}

/** Entries shown at a terminal. */
const shownEntries = 10;

async function describeList(file: string): Promise<CommandResult> {
  const { list, findings } = await readListModule(file);
  if (list === undefined) return failWith(findings);
  const { name, version = null, entries } = list;
  const fields = [...new Set(entries.flatMap((entry) => (isRecord(entry) ? Object.keys(entry) : [])))];
  const document = { status: true, kind: 'list', name, version, file, fields, entryCount: entries.length, entries };
  const text = () =>
    [
      printable(`${name} (list${version === null ? '' : ` ${version}`}, ${entries.length} entries)`),
      `From ${printable(shownPath(file))}`,
      ...section('Fields', fields.length === 0 ? [] : [`  ${printable(fields.join(', '))}`]),
      ...section(
        'Entries',
        entries.slice(0, shownEntries).map((entry) => `  ${printable(JSON.stringify(entry))}`),
      ),
      ...(entries.length > shownEntries ? [`  … ${entries.length - shownEntries} more; --json shows all`] : []),
    ].join('\n');
  return { document, text };
}
