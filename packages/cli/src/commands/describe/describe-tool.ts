import type { ExposedTool, LoadedSchema } from '@schemakit/core';
import { type ResourceFile, resourceFiles, tokenEndpointOf } from '@schemakit/core/internal';
import { createOriginMatcher } from '@schemakit/http';
import { toolNameOf } from '../../groups/load-group.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { printable, shellWord } from '../../output/terminal-text.ts';
import { terminalWidth, textColumns, wrapText } from '../../output/text-table.ts';
import { isRecord } from '../../settings/parse-json.ts';
import { readText } from '../../sources/trust-schemas.ts';
import { testCasesOf } from '../../testing/test-case.ts';
import { outputText, parametersText } from './parameters-text.ts';

export type Send = 'root' | Readonly<Record<string, readonly string[]>>;

/** A tool of a schema that loaded without errors. */
export interface ShownTool {
  schema: LoadedSchema;
  exposed: ExposedTool;
  /** Secret name to the origins that an imported schema may send it to. The user's own, `'root'`, sends its secrets to its root. */
  send: Send;
  /** Where it comes from, as users write it: a path or a reference. */
  from: string;
  /** What to write in `call`. Default: the name of the tool. */
  reference?: string | undefined;
}

export interface ShownSecret {
  name: string;
  /** Where requests take it. */
  origin: string;
  granted: boolean;
}

/** What a model sees of a tool, and what a user wants to know before calling it. */
export async function describeTool({ schema, exposed, send, from, reference }: ShownTool): Promise<CommandResult> {
  const { listing, resource, aliases } = exposed;
  const { inputSchema, outputSchema = null, annotations } = listing;
  const name = toolNameOf(exposed);
  const tests = testCasesOf({ schema, exposed }).map(({ description, userParams }) => ({
    description,
    input: userParams,
  }));
  const secrets = secretsOf({ schema, send }, exposed.requiredServerParams);
  const example = exampleCall(reference ?? name, inputSchema, tests[0]?.input);
  const { request, accept, pagination } = requestOf(exposed, schema);
  const reads = (await resourceFiles(schema)).filter((read) => read.resource === resource?.resourceName);
  const document = {
    status: true,
    kind: resource === undefined ? 'tool' : 'resource',
    name,
    mcpName: listing.name,
    ...(aliases.length > 0 && { aliases }),
    description: listing.description,
    file: schema.file,
    ...{ request, accept, pagination },
    ...{ inputSchema, outputSchema, annotations, secrets, reads, example, tests },
  };
  const tested = tests.map((test) => [test.description, inputText(test.input)]);
  const text = () =>
    [
      ...titleLines(`${name} (${document.kind})`, listing.description),
      ...(request === undefined ? [] : [printable(request)]),
      ...(accept === undefined ? [] : [`Asks for ${printable(accept)}`]),
      ...(pagination === undefined ? [] : [`Reads up to ${Number(pagination.maxPages ?? 5)} pages in one call`]),
      `From ${printable(from)}`,
      ...section('Parameters', parametersText(inputSchema), 'none'),
      ...section('Output', outputSchema === null ? [] : outputText(outputSchema), 'not declared'),
      ...section('Side effects', [`  ${effectsText(annotations)}`]),
      ...section('Secrets', secretLines(secrets)),
      ...section('Files read', readLines(reads)),
      ...section('Tests', textColumns(tested, { indent: 2 })),
      ...section('Call it', [`  ${printable(example)}`]),
    ].join('\n');
  return { document, text };
}

export function titleLines(title: string, description: string): string[] {
  return [printable(title), ...wrapText(printable(description), terminalWidth()), ''];
}

/** A heading with its lines; without lines `otherwise`, or nothing. */
export function section(heading: string, lines: readonly string[], otherwise?: string): string[] {
  if (lines.length === 0) return otherwise === undefined ? [] : ['', `${heading}: ${otherwise}`];
  return ['', heading, ...lines];
}

/** The secrets of a schema, and whether it may send them where it does. */
export function secretsOf(
  { schema, send }: Pick<ShownTool, 'schema' | 'send'>,
  names: readonly string[],
): ShownSecret[] {
  const originOf = (url: string) => URL.parse(url)?.origin ?? /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? url;
  const { url, secrets } = tokenEndpointOf(schema) ?? { url: '', secrets: [] };
  const places = [
    [originOf(String(schema.main?.root ?? '')), names],
    [originOf(url), names.filter((name) => secrets.includes(name))],
  ] as const;
  return places.flatMap(([origin, sent]) =>
    sent.map((name) => ({ name, origin, granted: send === 'root' || isGranted(origin, send[name]) })),
  );
}

function isGranted(origin: string, granted: readonly string[] = []): boolean {
  return granted.length > 0 && URL.canParse(origin) && createOriginMatcher(granted)(new URL(origin));
}

export function secretLines(secrets: readonly ShownSecret[]): string[] {
  const rows = secrets.map(({ name, origin, granted }) => [
    name,
    `sent to ${origin}${granted ? '' : ', which is not granted yet'}`,
  ]);
  return textColumns(rows, { indent: 2 });
}

export function readLines(reads: readonly ResourceFile[]): string[] {
  return reads.map((read) => `  ${printable(readText(read))}`);
}

/** The request of a tool, what it asks for, and its pages; nothing for a resource. */
function requestOf(
  { toolName, resource }: ExposedTool,
  { main }: LoadedSchema,
): { request?: string; accept?: string; pagination?: Readonly<Record<string, unknown>> } {
  const tools = main?.tools ?? main?.routes;
  const tool = resource === undefined && isRecord(tools) ? tools[toolName] : undefined;
  if (!isRecord(tool)) return {};
  const { method, path, accept, pagination } = tool;
  return {
    request: `${method} ${String(main?.root ?? '')}${path}`,
    ...(typeof accept === 'string' && { accept }),
    ...(isRecord(pagination) && { pagination }),
  };
}

function effectsText({ readOnlyHint, destructiveHint, idempotentHint }: ExposedTool['listing']['annotations']): string {
  if (readOnlyHint) return 'None: it only reads.';
  const again = idempotentHint ? ' Calling it twice does what calling it once does.' : '';
  if (destructiveHint === false) return `It writes, and destroys nothing.${again}`;
  return `${destructiveHint ? 'It may overwrite or delete.' : 'It writes, and may overwrite or delete.'}${again}`;
}

type Input = Readonly<Record<string, unknown>>;

/** A command that calls the tool, with the input of its first test or its required parameters. */
function exampleCall(
  reference: string,
  { properties, required }: ExposedTool['listing']['inputSchema'],
  tested: Input | undefined,
): string {
  const schemas = isRecord(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  const input = tested ?? Object.fromEntries(needed.map((name) => [name, sampleOf(schemas[name])]));
  return `schemakit call ${[shellWord(reference), inputText(input)].join(' ').trim()}`;
}

function sampleOf(schema: unknown): unknown {
  const { type, enum: values, default: fallback, minimum, examples } = isRecord(schema) ? schema : {};
  const [known] = [values, examples].flatMap((list) => (Array.isArray(list) ? list : []));
  if (fallback !== undefined || known !== undefined) return fallback ?? known;
  if (type === 'array') return ['…'];
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return typeof minimum === 'number' ? minimum : 1;
  return type === 'string' ? '…' : {};
}

/** Input as `call` takes it. */
function inputText(input: Input): string {
  return Object.entries(input)
    .map(([name, value]) => {
      const isText = typeof value !== 'object' || value === null;
      return isText ? `${name}=${shellWord(String(value))}` : `${name}:=${shellWord(JSON.stringify(value))}`;
    })
    .join(' ');
}
