import { type DescribedSource, describeSources } from '../groups/describe-sources.ts';
import type { IndexedSchema } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import type { CommandResult } from '../output/command-result.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { openSettings } from '../settings/open-settings.ts';
import { described } from './parameters.ts';

async function schemas(): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const described = await withIndex(settings, (index) => describeSources(settings, index));
  const sources = described.map(shownSource);
  return {
    document: { status: true, sources },
    text: () => sources.map(sourceText).join('\n\n') || 'No schemas yet. Run: schemakit init',
  };
}

function shownSource({ name, type, url, schemas: own, toolCount }: DescribedSource) {
  return { name, type, repository: url ?? null, schemaCount: own.length, toolCount, schemas: own.map(shownSchema) };
}

function shownSchema({ source, file, status, findings, ...schema }: IndexedSchema) {
  const { namespace, name, requiredServerParams, tools } = schema;
  return {
    ref: file,
    file: file.slice(source.length + 1),
    ...{ namespace, name, requiredServerParams, tools },
    ...(!status && { messages: findings.map(({ message }) => message) }),
  };
}

function sourceText(source: ReturnType<typeof shownSource>): string {
  const { name, type, repository, schemaCount, toolCount, schemas: own } = source;
  const from = repository === null ? type : `${type}, ${repository}`;
  const lines = own.map(({ ref, tools, messages: [first] = [] }) => {
    const names = tools.map(({ toolName }) => toolName).join(', ');
    return `  ${ref}\n      ${first === undefined ? names || 'no tools' : `does not load: ${first}`}`;
  });
  const title = `${name} (${from}): ${counted(schemaCount, 'schema')}, ${counted(toolCount, 'tool')}`;
  return [title, ...lines].map((line) => printable(line, { keepLines: true })).join('\n');
}

export const schemasCommand: MakeCommand = defineCommand('schemas', () => schemas, {
  parameters: {},
  docs: described('List sources with their schemas and tools', 'schemakit schemas'),
});
