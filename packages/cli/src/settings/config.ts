import { readFileSync, statSync } from 'node:fs';
import type { Finding, LibraryPin } from '@schemakit/core';
import { nearestWord } from '../output/nearest-word.ts';
import { reasonOf } from '../output/terminal-text.ts';
import { nameProblem } from '../sources/path-problem.ts';
import { isRecord, type ParsedJson, parseJson } from './parse-json.ts';
import { endsCommands, settingsFinding } from './settings-codes.ts';

/** A group of tools; see docs/command.md, "Groups". */
export interface Group {
  description: string;
  /** References, `<source>/<file>.mjs::tool::<name>` and the other forms. */
  tools: readonly string[];
}

export type Mode = 'agent' | 'dev';

/** An entry of `sources`: where a folder below `schemas/` came from. */
export interface SourceEntry {
  /** `builtin`, or how it was imported. */
  type?: string;
}

/** The fields of `config.json` that commands use. Both levels share one set of names. */
export interface Config {
  /** Project. */
  mode?: Mode | undefined;
  /** Project. */
  defaultGroup?: string | undefined;
  /** Project: groups in the format of `.flowmcp`. Files in `groups/` win. */
  groups: ReadonlyMap<string, Group>;
  /** Project: by name, the roots by namespace that replace those of the schemas. */
  environments: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Global: path of another `.env` file. */
  envPath?: string | undefined;
  /** Global: when `init` ran, ISO 8601. */
  initialized?: string | undefined;
  /** Global: `security.allowedLibraries`, with what was installed when each was allowed; null for any version. */
  allowedLibraries: ReadonlyMap<string, LibraryPin | null>;
  /** Global. */
  sources: ReadonlyMap<string, SourceEntry>;
}

export const noConfig: Config = {
  groups: new Map(),
  environments: new Map(),
  allowedLibraries: new Map(),
  sources: new Map(),
};

/** Whether a text is a valid group name, which must be a file name on every system. */
export function isGroupName(name: string): boolean {
  return nameProblem(name) === undefined;
}

export interface ParsedConfig {
  config?: Config;
  findings: Finding[];
}

const knownFields = [
  ...['mode', 'defaultGroup', 'groups', 'environments', 'envPath', 'initialized', 'updatedAt', 'sources', 'security'],
  ...['root', 'tools', 'schemasDir', 'flowmcpCore'],
];

export function readConfig(file: string): ParsedConfig {
  const { parsed, findings } = readSettingsFile(file);
  if (parsed === undefined) return { findings };
  const fields = createFields(parsed, { file, findings });
  const document = fields.record(parsed.value, []);
  if (document === undefined) return { findings };
  reportMisspelt(document, fields);
  const config = readFields(document, fields);
  return findings.some(endsCommands) ? { findings } : { config, findings };
}

export function readGroupFile(file: string): { group?: Group; findings: Finding[] } {
  const { parsed, findings } = readSettingsFile(file);
  if (parsed === undefined) return { findings };
  const group = readGroup(parsed.value, [], createFields(parsed, { file, findings }));
  return group === undefined || findings.length > 0 ? { findings } : { group, findings };
}

type Read = Extract<ParsedJson, { ok: true }>;

const maxBytes = 4 * 1024 * 1024;

function readSettingsFile(file: string): { parsed?: Read; findings: Finding[] } {
  let text: string;
  try {
    const info = statSync(file);
    if (!info.isFile()) throw new Error('not a regular file');
    if (info.size > maxBytes) throw new Error(`${info.size} bytes exceed the limit of ${maxBytes}`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { findings: [] };
    const hint = 'Check the path and its permissions.';
    return { findings: [settingsFinding('SET001', `cannot read the settings: ${reasonOf(error)}`, { file, hint })] };
  }
  const parsed = parseJson(text);
  if (parsed.ok) return { parsed, findings: [] };
  const hint = 'Fix it, or remove the file and run schemakit init.';
  const message = `the settings are not valid JSON: ${parsed.problem}`;
  return { findings: [settingsFinding('SET002', message, { file, hint, ...parsed.position })] };
}

/** Checks the types of fields and reports mismatches with their position. */
function createFields(parsed: Read, { file, findings }: { file: string; findings: Finding[] }) {
  const report = (code: 'SET003' | 'SET004' | 'SET011', keys: readonly string[], message: string, hint: string) => {
    const path = keys.join('.');
    findings.push(settingsFinding(code, message, { path, hint, file, ...parsed.positionOf(...keys) }));
  };
  const expect = (value: unknown, keys: readonly string[], kind: string): undefined => {
    if (value === undefined) return;
    const json = value === null || typeof value !== 'object' ? JSON.stringify(value).slice(0, 60) : 'an object';
    const field = keys.length === 0 ? 'the file' : keys.join('.');
    const found = kind === 'an array of text' ? 'an array with other values' : 'an array';
    const message = `${field} must be ${kind}, not ${Array.isArray(value) ? found : json}`;
    report('SET003', keys, message, 'Fix or remove the field.');
  };
  return {
    report,
    text: (value: unknown, keys: readonly string[]) =>
      typeof value === 'string' && value !== '' ? value : expect(value, keys, 'text'),
    texts: (value: unknown, keys: readonly string[]): readonly string[] | undefined =>
      Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? value
        : expect(value, keys, 'an array of text'),
    record: (value: unknown, keys: readonly string[]) => (isRecord(value) ? value : expect(value, keys, 'an object')),
  };
}

type Fields = ReturnType<typeof createFields>;

function reportMisspelt(document: Record<string, unknown>, { report }: Fields): void {
  for (const key of Object.keys(document)) {
    const suggestion = knownFields.includes(key) ? undefined : nearestWord(key, knownFields);
    if (suggestion !== undefined) report('SET004', [key], `unknown field ${key}`, `Did you mean ${suggestion}?`);
  }
}

function readFields(document: Record<string, unknown>, fields: Fields): Config {
  const mode = readMode(document.mode, fields);
  const groups = readGroups(document.groups, fields);
  // `.flowmcp` has activated tools beside the groups.
  const activated = fields.texts(document.tools, ['tools']) ?? [];
  const hasOwn = activated.length > 0 && !groups.has(legacyGroup);
  if (hasOwn) groups.set(legacyGroup, { description: '', tools: activated });
  const named = fields.text(document.defaultGroup, ['defaultGroup']);
  const defaultGroup = named ?? (hasOwn ? legacyGroup : undefined);
  const envPath = fields.text(document.envPath, ['envPath']);
  const initialized = fields.text(document.initialized, ['initialized']);
  const environments = readEnvironments(document.environments, fields);
  const sources = readSources(document.sources, fields);
  const allowedLibraries = readLibraries(document.security, fields);
  return { mode, defaultGroup, groups, environments, envPath, initialized, allowedLibraries, sources };
}

const legacyGroup = 'default';

function readMode(value: unknown, { report }: Fields): Mode | undefined {
  if (value === undefined || value === 'agent') return value;
  if (value === 'dev' || value === 'development') return 'dev';
  const message = `mode must be "agent" or "dev", not ${JSON.stringify(value)}`;
  report('SET003', ['mode'], message, 'Run: schemakit mode agent');
  return undefined;
}

function readGroups(value: unknown, fields: Fields): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const [name, entry] of Object.entries(fields.record(value, ['groups']) ?? {})) {
    const group = readGroup(entry, ['groups', name], fields);
    if (group !== undefined) groups.set(name, group);
  }
  return groups;
}

/** `.flowmcp` calls the references `schemas`. */
function readGroup(value: unknown, keys: readonly string[], fields: Fields): Group | undefined {
  const group = fields.record(value, keys);
  if (group === undefined) return undefined;
  const key = group.tools === undefined && group.schemas !== undefined ? 'schemas' : 'tools';
  const { description } = group;
  if (description !== undefined && typeof description !== 'string') fields.text(description, [...keys, 'description']);
  const tools = fields.texts(group[key], [...keys, key]) ?? [];
  return { description: typeof description === 'string' ? description : '', tools };
}

function readEnvironments(value: unknown, fields: Fields): Config['environments'] {
  const environments = new Map<string, Readonly<Record<string, string>>>();
  for (const [name, entry] of Object.entries(fields.record(value, ['environments']) ?? {})) {
    const keys = ['environments', name];
    const { roots } = fields.record(entry, keys) ?? {};
    const given = Object.entries(fields.record(roots, [...keys, 'roots']) ?? {});
    const read = given.flatMap(([namespace, url]) => {
      const text = fields.text(url, [...keys, 'roots', namespace]);
      if (text === undefined) return [];
      const problem = rootProblem(text);
      if (problem === undefined) return [[namespace, text.replace(/\/+$/, '')] as const];
      const hint = 'Write the whole URL, such as https://staging.example.com/v1.';
      fields.report('SET011', [...keys, 'roots', namespace], `the root of ${namespace} ${problem}`, hint);
      return [];
    });
    environments.set(name, Object.fromEntries(read));
  }
  return environments;
}

/** Completes the sentence that begins with the root. */
function rootProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an http(s) URL';
  if (url.username !== '' || url.password !== '') return 'has credentials in it; secrets belong in the environment';
  return url.search === '' && url.hash === '' ? undefined : 'has a query or a fragment';
}

/** Names, or `{ name, version, integrity }`. */
function readLibraries(security: unknown, fields: Fields): Config['allowedLibraries'] {
  const { allowedLibraries: given = [] } = fields.record(security, ['security']) ?? {};
  const keys = ['security', 'allowedLibraries'];
  const entries = (Array.isArray(given) ? given : [undefined]).map((entry): [string, LibraryPin | null] | undefined => {
    if (typeof entry === 'string') return [entry, null];
    const { name, version, integrity } = isRecord(entry) ? entry : {};
    const isPin = typeof name === 'string' && typeof version === 'string' && typeof integrity === 'string';
    return isPin ? [name, { version, integrity }] : undefined;
  });
  const libraries = entries.filter((entry) => entry !== undefined);
  if (libraries.length < entries.length) {
    const message = `${keys.join('.')} must be an array of names or of { name, version, integrity }`;
    fields.report('SET003', keys, message, 'Remove the entry, and allow the library again: --allow-library <name>.');
  }
  return new Map(libraries);
}

function readSources(value: unknown, fields: Fields): Map<string, SourceEntry> {
  const sources = new Map<string, SourceEntry>();
  for (const [name, entry] of Object.entries(fields.record(value, ['sources']) ?? {})) {
    const { type } = fields.record(entry, ['sources', name]) ?? {};
    sources.set(name, typeof type === 'string' ? { type } : {});
  }
  return sources;
}
