import { exposeSchemaPrompts, exposeSchemas, type LoadedSchema } from '@schemakit/core';
import { promptTargets, resourceFiles } from '@schemakit/core/internal';
import { toolNameOf } from '../../groups/load-group.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { printable } from '../../output/terminal-text.ts';
import { firstLine, textColumns } from '../../output/text-table.ts';
import { readLines, type ShownTool, secretLines, secretsOf, section, titleLines } from './describe-tool.ts';

/** Shows the tools, prompts and secrets of a schema that loaded without errors. */
export async function describeSchema({ schema, send, from }: Omit<ShownTool, 'exposed'>): Promise<CommandResult> {
  const exposed = exposeSchemas([schema]);
  const { main } = schema;
  const [name, namespace, description, root] = [main?.name, main?.namespace, main?.description, main?.root].map(String);
  const tools = exposed.map(({ listing, resource, ...tool }) => ({
    name: toolNameOf(tool),
    kind: resource === undefined ? 'tool' : 'resource',
    description: listing.description,
  }));
  const prompts = schema.prompts.map(({ kind, name: own, description: about }) => ({
    ...{ name: `${namespace}_${own}`, kind },
    description: about,
  }));
  const needed = new Set(exposed.flatMap(({ requiredServerParams }) => requiredServerParams));
  const secrets = secretsOf({ schema, send }, [...needed]);
  const reads = await resourceFiles(schema);
  const lists = Object.keys(schema.sharedLists);
  const document = {
    ...{ status: true, kind: 'schema', name, namespace, description, version: main?.version, root },
    ...{ file: schema.file, tools, prompts, lists, secrets, reads },
  };
  const rows = (parts: readonly { name: string; description: string }[]) => {
    const cells = parts.map((part) => [part.name, firstLine(part.description)]);
    return textColumns(cells, { indent: 2 });
  };
  const text = () =>
    [
      ...titleLines(`${name} (schema ${namespace})`, `${description}`),
      `Calls ${printable(`${root}`)}`,
      `From ${printable(from)}`,
      ...section('Tools', rows(tools), 'none'),
      ...section('Prompts and skills', rows(prompts)),
      ...section('Lists', lists.length === 0 ? [] : [`  ${lists.join(', ')}`]),
      ...section('Secrets', secretLines(secrets)),
      ...section('Files read', readLines(reads)),
      ...(tools[0] === undefined ? [] : ['', `Show a tool: schemakit describe ${tools[0].name}`]),
    ].join('\n');
  return { document, text };
}

/** The names of what prompts mention, as MCP clients see them. */
function mcpNames(schema: LoadedSchema): (kind: 'tool' | 'resource' | 'skill' | 'prompt', name: string) => string {
  const namespace = String(schema.main?.namespace);
  const tools = exposeSchemas([schema]).map((tool) => ({ kind: 'tool', name: tool.toolName, listing: tool.listing }));
  const prompts = exposeSchemaPrompts([schema]).map(({ prompt: { kind, name }, listing }) => ({ kind, name, listing }));
  return (kind, name) => {
    const targets = promptTargets(name, kind, namespace).filter((target) => target.namespace === namespace);
    const named = [...tools, ...prompts].find(
      (own) => own.kind === kind && targets.some((target) => target.name === own.name),
    );
    return named?.listing.name ?? name;
  };
}

/** Shows a prompt or a skill with its text, as a model gets it. Undefined if the schema has none of this name. */
export function describePrompt(
  { schema, from }: Pick<ShownTool, 'schema' | 'from'>,
  wanted: { kind: string; name: string },
): CommandResult | undefined {
  const prompt = schema.prompts.find(({ kind, name }) => kind === wanted.kind && name === wanted.name);
  if (prompt === undefined) return undefined;
  const { kind, description, arguments: inputs, content } = prompt;
  const name = `${String(schema.main?.namespace)}_${prompt.name}`;
  const nameOf = mcpNames(schema);
  const words = content.map((part) =>
    part.kind === 'text' ? part.text : part.kind === 'input' ? `{{${part.name}}}` : nameOf(part.kind, part.name),
  );
  const written = words.join('');
  const rows = inputs.map((input) => [
    input.name,
    [input.type === 'string' ? 'text' : input.type, ...(input.required ? ['required'] : [])].join(', '),
    input.description ?? '',
  ]);
  const text = () =>
    [
      ...titleLines(`${name} (${kind})`, description),
      `From ${printable(from)}`,
      ...section('Arguments', textColumns(rows, { indent: 2 })),
      ...section('Text', [printable(written.trim(), { keepLines: true })]),
    ].join('\n');
  return {
    document: { status: true, kind, name, description, file: schema.file, arguments: inputs, text: written },
    text,
  };
}
