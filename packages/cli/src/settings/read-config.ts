import { readFileSync, statSync } from 'node:fs';
import type { Finding } from '@schemakit/core';
import { nearestWord } from '../output/nearest-word.ts';
import type { Config, Group, Mode, SourceEntry } from './config.ts';
import { noConfig } from './config.ts';
import { isRecord, type JsonReading, readJson } from './read-json.ts';
import { settingsFinding } from './settings-codes.ts';

export interface ConfigReading {
  /** Undefined where there is no file, or where it cannot be understood. */
  config?: Config;
  findings: Finding[];
}

/** Fields of `config.json` on both levels, with those that only older programs use. */
const knownFields = [
  ...['mode', 'defaultGroup', 'groups', 'envPath', 'initialized', 'updatedAt', 'sources'],
  ...['root', 'tools', 'schemasDir', 'flowmcpCore'],
];

/** Reads a `config.json`. A file that is not there is no fault; one that cannot be understood is an error with its place. */
export function readConfig(file: string): ConfigReading {
  const { reading, findings } = readSettingsFile(file);
  if (reading === undefined) return { findings };
  const fields = createFields(reading, { file, findings });
  const document = fields.record(reading.value, []);
  if (document === undefined) return { findings };
  reportMisspelt(document, fields);
  const config = readFields(document, fields);
  return findings.some(({ severity }) => severity === 'error') ? { findings } : { config, findings };
}

/** Reads a file of `groups/`. */
export function readGroupFile(file: string): { group?: Group; findings: Finding[] } {
  const { reading, findings } = readSettingsFile(file);
  if (reading === undefined) return { findings };
  const group = readGroup(reading.value, [], createFields(reading, { file, findings }));
  return group === undefined || findings.length > 0 ? { findings } : { group, findings };
}

type Read = Extract<JsonReading, { ok: true }>;

const maxBytes = 4 * 1024 * 1024;

function readSettingsFile(file: string): { reading?: Read; findings: Finding[] } {
  let text: string;
  try {
    const info = statSync(file);
    if (!info.isFile()) throw new Error('it is no regular file');
    if (info.size > maxBytes) throw new Error(`it has ${info.size} bytes, and ${maxBytes} are the most that is read`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { findings: [] };
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Check the path and its rights.';
    return { findings: [settingsFinding('SET001', `the settings cannot be read: ${reason}`, { file, hint })] };
  }
  const reading = readJson(text);
  if (reading.ok) return { reading, findings: [] };
  const hint = 'Correct it, or remove the file and set it up again with schemakit init.';
  const message = `the settings are not JSON: ${reading.problem}`;
  return { findings: [settingsFinding('SET002', message, { file, hint, ...reading.place })] };
}

/** Readers of fields that report what is of another kind, with its place. */
interface Fields {
  findings: Finding[];
  report(code: 'SET003' | 'SET004', keys: readonly string[], message: string, hint: string): void;
  text(value: unknown, keys: readonly string[]): string | undefined;
  texts(value: unknown, keys: readonly string[]): string[] | undefined;
  record(value: unknown, keys: readonly string[]): Record<string, unknown> | undefined;
}

function createFields(reading: Read, { file, findings }: { file: string; findings: Finding[] }): Fields {
  const fields: Fields = {
    findings,
    report(code, keys, message, hint) {
      const path = keys.join('.');
      findings.push(settingsFinding(code, message, { path, hint, file, ...reading.placeOf(...keys) }));
    },
    text: (value, keys) => (typeof value === 'string' && value !== '' ? value : expect(value, keys, 'text')),
    texts: (value, keys) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? value
        : expect(value, keys, 'an array of text'),
    record: (value, keys) => (isRecord(value) ? value : expect(value, keys, 'an object')),
  };
  const expect = (value: unknown, keys: readonly string[], kind: string): undefined => {
    if (value === undefined) return;
    const found = value === null || typeof value !== 'object' ? JSON.stringify(value).slice(0, 60) : kindOf(value);
    const what = keys.length === 0 ? 'the file' : keys.join('.');
    fields.report('SET003', keys, `${what} must be ${kind}, and is ${found}`, 'Correct it, or remove the field.');
  };
  return fields;
}

function kindOf(value: object): string {
  return Array.isArray(value) ? 'an array' : 'an object';
}

function reportMisspelt(document: Record<string, unknown>, { report }: Fields): void {
  for (const key of Object.keys(document)) {
    const meant = knownFields.includes(key) ? undefined : nearestWord(key, knownFields);
    if (meant !== undefined) report('SET004', [key], `${key} is no field of the settings`, `Did you mean ${meant}?`);
  }
}

function readFields(document: Record<string, unknown>, fields: Fields): Config {
  const mode = readMode(document.mode, fields);
  const groups = readGroups(document.groups, fields);
  // Older programs kept what was activated beside the groups, and let it win over them.
  const activated = fields.texts(document.tools, ['tools']) ?? [];
  const hasOwn = activated.length > 0 && !groups.has(olderGroup);
  if (hasOwn) groups.set(olderGroup, { description: '', tools: activated });
  const named = fields.text(document.defaultGroup, ['defaultGroup']);
  const defaultGroup = named ?? (hasOwn ? olderGroup : undefined);
  const envPath = fields.text(document.envPath, ['envPath']);
  const initialized = fields.text(document.initialized, ['initialized']);
  return {
    ...noConfig,
    ...(mode !== undefined && { mode }),
    ...(defaultGroup !== undefined && { defaultGroup }),
    groups,
    ...(envPath !== undefined && { envPath }),
    ...(initialized !== undefined && { initialized }),
    sources: readSources(document.sources, fields),
  };
}

const olderGroup = 'default';

function readMode(value: unknown, { report }: Fields): Mode | undefined {
  if (value === undefined || value === 'agent') return value;
  if (value === 'dev' || value === 'development') return 'dev';
  report(
    'SET003',
    ['mode'],
    `mode must be "agent" or "dev", and is ${JSON.stringify(value)}`,
    'Run: schemakit mode agent',
  );
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

/** Older programs named the references `schemas`. */
function readGroup(value: unknown, keys: readonly string[], fields: Fields): Group | undefined {
  const group = fields.record(value, keys);
  if (group === undefined) return undefined;
  const key = group.tools === undefined && group.schemas !== undefined ? 'schemas' : 'tools';
  const { description } = group;
  if (description !== undefined && typeof description !== 'string') fields.text(description, [...keys, 'description']);
  const tools = fields.texts(group[key], [...keys, key]) ?? [];
  return { description: typeof description === 'string' ? description : '', tools };
}

function readSources(value: unknown, fields: Fields): Map<string, SourceEntry> {
  const sources = new Map<string, SourceEntry>();
  for (const [name, entry] of Object.entries(fields.record(value, ['sources']) ?? {})) {
    const { type, schemaCount } = fields.record(entry, ['sources', name]) ?? {};
    sources.set(name, {
      ...(typeof type === 'string' && { type }),
      ...(typeof schemaCount === 'number' && { schemaCount }),
    });
  }
  return sources;
}
