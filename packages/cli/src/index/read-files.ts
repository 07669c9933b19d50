import {
  type ExposedTool,
  exposeSchemas,
  type Finding,
  type LoadedSchema,
  type LoadSchemasOptions,
  loadSchemas,
  toolNames,
} from '@schemakit/core';
import { allowedLibraries } from '../settings/allowed-libraries.ts';
import { isRecord } from '../settings/parse-json.ts';
import type { FileDetails, ToolDetails, ToolNames } from './indexed-tool.ts';
import type { FoundFile } from './scan-folders.ts';

export type OnProgress = (progress: { done: number; total: number; file: string }) => void;

export interface LoadedFiles {
  schemas: readonly LoadedSchema[];
  findings: readonly Finding[];
  refused: readonly Finding[];
}

/** Loads files; only the user's own are approved for their root. */
export async function loadFiles(
  files: readonly Pick<FoundFile, 'path' | 'approved'>[],
  { onProgress, ...options }: Omit<LoadSchemasOptions, 'paths' | 'approveRoot'> = {},
): Promise<LoadedFiles> {
  const schemas: LoadedSchema[] = [];
  const findings: Finding[] = [];
  let before = 0;
  for (const approveRoot of [true, false]) {
    const paths = files.filter(({ approved }) => approved === approveRoot).map(({ path }) => path);
    if (paths.length === 0) continue;
    const loaded = await loadSchemas({
      ...{ ...allowedLibraries(), ...options, paths, approveRoot },
      onProgress: ({ done, file }) => onProgress?.({ done: before + done, total: files.length, file }),
    });
    schemas.push(...loaded.schemas);
    findings.push(...loaded.findings);
    before += paths.length;
  }
  return { schemas, findings, refused: [] };
}

export interface DescribedFile {
  names: readonly ToolNames[];
  details: FileDetails;
  dependent: boolean;
}

/** Describes a loaded schema. `exposed`: its tools, if they are named among those of other schemas. */
export function describeFile(loaded: LoadedSchema, exposed?: readonly ExposedTool[]): DescribedFile {
  const { status, findings, sharedLists, prompts } = loaded;
  const main = loaded.main ?? {};
  const namespace = text(main.namespace);
  const requiredServerParams = texts(main.requiredServerParams).map((name) =>
    name.replace(/^SERVER_PARAM:/, '').trim(),
  );
  const own = status ? exposeSchemas([loaded]) : [];
  const all = status ? (exposed ?? own) : [];
  const shownPrompts = status ? prompts : [];
  const tools = all.map((tool) => describeTool(tool, loaded, requiredServerParams));
  const used = new Set(tools.flatMap(({ lists }) => lists ?? []));
  return {
    names: [
      ...all.map((tool, index) => namesOf(tool, own[index]?.listing.name ?? tool.listing.name)),
      ...shownPrompts.map(({ kind: type, name }): ToolNames => {
        const { cli, mcp } = toolNames({ namespace, toolName: name });
        return { type, toolName: name, part: name, cli, mcp };
      }),
    ],
    details: {
      schema: {
        ...{ status, namespace, requiredServerParams },
        findings: findings.filter(({ severity }) => severity === 'error'),
        name: text(main.name),
        description: text(main.description),
        version: text(main.version),
        tags: texts(main.tags),
      },
      tools: [...tools, ...shownPrompts.map(describePrompt)],
      lists: Object.fromEntries([...used].map((name) => [name, listWords(name, sharedLists[name] ?? [])])),
    },
    dependent: !status || prompts.length > 0 || Object.keys(sharedLists).length > 0,
  };
}

function namesOf({ namespace, toolName, listing, aliases, resource }: ExposedTool, ownMcp: string): ToolNames {
  return {
    type: resource === undefined ? 'tool' : 'resource',
    toolName,
    part: resource?.resourceName ?? toolName,
    cli: toolNames({ namespace, toolName }).cli,
    mcp: listing.name,
    ...(ownMcp !== listing.name && { ownMcp }),
    ...(aliases.length > 0 && { aliases }),
  };
}

function describeTool(
  { toolName, listing, resource, requiredServerParams, isBinary }: ExposedTool,
  { main, sharedLists }: LoadedSchema,
  ofSchema: readonly string[],
): ToolDetails {
  const definition = resource
    ? record(main?.resources)[resource.resourceName]
    : record(main?.tools ?? main?.routes)[toolName];
  const lists = usedLists(definition, Object.keys(sharedLists));
  return {
    requiredServerParams: [...new Set([...(resource ? [] : ofSchema), ...requiredServerParams])],
    listing,
    ...(isBinary && { isBinary }),
    ...(resource && {
      resource: {
        resourceName: resource.resourceName,
        uri: resource.uri,
        ...(resource.listing && { listing: resource.listing }),
        ...(resource.template && { template: resource.template }),
      },
    }),
    ...(lists.length > 0 && { lists }),
  };
}

function describePrompt({ description, arguments: parameters }: LoadedSchema['prompts'][number]): ToolDetails {
  const summaries = parameters.map(({ name, type, required, values, description }) => {
    const summary = { type, required, ...(type === 'enum' && values && { values }) };
    return [name, { ...summary, ...(description !== undefined && { description }) }] as const;
  });
  return { description, requiredServerParams: [], parameters: Object.fromEntries(summaries) };
}

/** The shared lists that a definition in `main` uses. */
function usedLists(definition: unknown, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const written = JSON.stringify(definition) ?? '';
  return names.filter((name) => written.includes(`{{${name}:`) || written.includes(`$${name}`));
}

/** Fields that name the entries of common lists: chains, countries, currencies. */
const namingFields = ['alias', 'code', 'alpha2', 'name'] as const;

/** A tool that takes the number of a chain is found by the chain's name. */
function listWords(name: string, entries: readonly unknown[]): string[] {
  const names = entries.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    if (!isRecord(entry)) return [];
    return namingFields.flatMap((field) => (Object.hasOwn(entry, field) ? text(entry[field]) || [] : []));
  });
  return [...new Set([name, ...names])];
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
