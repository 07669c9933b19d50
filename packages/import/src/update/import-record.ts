import { hash } from 'node:crypto';
import type { Finding } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import type { PreviousTool } from '../group/match-previous.ts';
import { importFinding } from '../import-codes.ts';
import type { ImportOptions, ImportResult } from '../import-openapi.ts';

/** Where a document comes from. */
export interface ImportSource {
  kind: 'address' | 'file' | 'curl';
  /** The address without user and query, which may be secret, or the path from the folder. None for curl commands. */
  place?: string | undefined;
  /** Whether the address had more. */
  isPartial?: boolean | undefined;
}

/** What `import.json` keeps of an import, for the next version of the document. */
export interface ImportRecord {
  /** Of the format of this file. */
  version: 1;
  source: ImportSource;
  /** The address that the document was read from, without user and query. */
  url?: string | undefined;
  options: Pick<ImportOptions, 'select' | 'tags' | 'limit' | 'server'> & { namespace: string };
  /** Whether documents at other addresses were read, too. */
  remoteRefs?: boolean | undefined;
  /** SHA-256 of the text of the document. */
  document: string;
  tools: PreviousTool[];
  /** The texts of the files, as they were written. */
  files: Record<string, string>;
  /** What `new --try` made of some of them: its corrections are no edits of a person. */
  tried?: Record<string, string> | undefined;
}

/**
 * The text of `import.json`.
 *
 * @example
 * const text = 'curl https://pets.example.com/pets';
 * const record = writeImportRecord(importCurl(text), { source: { kind: 'curl' }, options: {}, text });
 * console.log(JSON.parse(record).options.namespace); // pets
 */
export function writeImportRecord(
  { namespace, tools, files }: Pick<ImportResult, 'namespace' | 'tools' | 'files'>,
  from: Pick<ImportRecord, 'source' | 'url' | 'remoteRefs' | 'tried'> & {
    options: Omit<ImportOptions, 'namespace'>;
    text: string;
  },
): string {
  const { select, tags, limit, server } = from.options;
  const record: ImportRecord = {
    version: 1,
    source: from.source,
    url: from.url,
    options: { namespace, select, tags, limit, server },
    ...(from.remoteRefs === true && { remoteRefs: true }),
    document: `sha256:${hash('sha256', from.text)}`,
    tools: tools.map(({ name, file, method, path }) => ({ name, file, method, path })),
    files,
    ...(Object.keys(from.tried ?? {}).length > 0 && { tried: from.tried }),
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

/**
 * Reads the text of `import.json`. Never throws.
 *
 * @example
 * const read = readImportRecord('{"version":2}');
 * console.log(read.ok || read.finding.code); // IMP026
 */
export function readImportRecord(text: string): { ok: true; record: ImportRecord } | { ok: false; finding: Finding } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unreadable(`is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(value)) return unreadable('is not an object');
  const { version } = value;
  if (typeof version === 'number' && version > 1) {
    return unreadable(`has the format version ${version}, and only 1 is known`, 'Update SchemaKit.');
  }
  if (!isRecord(value)) return unreadable('does not have the fields that `schemakit new` writes');
  return { ok: true, record: value };
}

function unreadable(problem: string, hint = 'Restore the file, or import the document into another folder.') {
  return { ok: false as const, finding: importFinding('IMP026', `import.json ${problem}`, { hint }) };
}

function isRecord(value: unknown): value is ImportRecord {
  if (!isObject(value) || value.version !== 1 || !isObject(value.source) || !isObject(value.options)) return false;
  const { source, options, tools, files, url, remoteRefs, tried = {} } = value;
  const { select, tags, limit, server, namespace } = options;
  return (
    ['address', 'file', 'curl'].includes(String(source.kind)) &&
    (source.kind === 'curl' || isText(source.place)) &&
    [url, server].every((text) => text === undefined || isText(text)) &&
    [select, tags].every((texts) => texts === undefined || isTexts(texts)) &&
    (limit === undefined || typeof limit === 'number') &&
    (remoteRefs === undefined || typeof remoteRefs === 'boolean') &&
    isText(namespace) &&
    Array.isArray(tools) &&
    tools.every((tool) => isObject(tool) && [tool.name, tool.file, tool.method, tool.path].every(isText)) &&
    [files, tried].every(isFiles)
  );
}

function isFiles(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([path, text]) => isFileName(path) && isText(text));
}

/** The files of an import lie in its folder: a record cannot name others. */
function isFileName(path: string): boolean {
  return /^[\w-]+\.(mjs|md)$/.test(path);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
