import { upgrade } from '@scalar/openapi-upgrader';
import type { Finding } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import { LineCounter, parseDocument } from 'yaml';
import { importFinding } from '../import-codes.ts';

export type JsonObject = Record<string, unknown>;

type Read<Value> = ({ ok: true } & Value) | { ok: false; finding: Finding };

const maxMebibytes = 50;

/** Parses an OpenAPI document and upgrades it to 3.1, so that all that follows knows one dialect. 3.2 adds to 3.1 and stays. */
export function readDocument(source: string | object): Read<{ document: JsonObject; version: string }> {
  const parsed = typeof source === 'string' ? parseText(source) : { ok: true as const, value: structuredClone(source) };
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const version = versionOf(value);
  if (version === undefined || !isObject(value)) return refuse('IMP001', notOpenApi(value), versionHint);
  if (value.paths !== undefined && !isObject(value.paths)) {
    return refuse(
      'IMP001',
      '`paths` is not an object',
      'Write the paths as keys: paths: { /pets: { get: … } }.',
      '/paths',
    );
  }
  // It upgrades what is older than 3.1, in place.
  return { ok: true, document: upgrade(value, '3.1') as JsonObject, version };
}

function refuse(
  code: 'IMP001' | 'IMP002' | 'IMP003',
  message: string,
  hint: string,
  path = '',
): { ok: false; finding: Finding } {
  return { ok: false, finding: importFinding(code, message, { path, hint }) };
}

const openApiHint = 'Give the address or file of the OpenAPI document itself, such as openapi.json.';

export function parseText(text: string): Read<{ value: unknown }> {
  if (text.length > maxMebibytes * 2 ** 20) {
    return refuse('IMP003', `the document is larger than ${maxMebibytes} MiB`, 'Import a part of it.');
  }
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start === '') return refuse('IMP002', 'the document is empty', openApiHint);
  if (start.startsWith('<')) return refuse('IMP002', 'the document is HTML or XML', openApiHint);
  return start.startsWith('{') ? parseJson(start) : parseYaml(text);
}

function parseJson(text: string): Read<{ value: unknown }> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // Flow mappings of YAML begin like JSON; and the parser of YAML says line and column.
    return parseYaml(text);
  }
}

function parseYaml(text: string): Read<{ value: unknown }> {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, merge: true, uniqueKeys: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const problem = error.message.split(' at line ', 1)[0];
    return refuse('IMP002', `line ${line}, column ${col}: ${problem}`, 'Correct the document, or export it again.');
  }
  try {
    return { ok: true, value: document.toJS({ maxAliasCount: 100 }) };
  } catch {
    return refuse('IMP003', 'the document has aliases that expand too far', 'Write the repeated parts as $ref.');
  }
}

const versionHint = 'Supported versions: swagger 2.0, and openapi 3.0, 3.1 and 3.2. Convert older documents first.';

function versionOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  if (String(value.swagger) === '2' || value.swagger === '2.0') return '2.0';
  return typeof value.openapi === 'string' ? /^3\.[012](?=\.\d|$)/.exec(value.openapi)?.[0] : undefined;
}

function notOpenApi(value: unknown): string {
  if (!isObject(value)) return 'the document is not an object';
  const key = ['openapi', 'swagger', 'asyncapi'].find((name) => value[name] !== undefined);
  return key === undefined
    ? 'the document has neither `openapi` nor `swagger`'
    : `the document has ${key}: ${JSON.stringify(value[key])}`;
}
