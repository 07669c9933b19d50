import { upgrade } from '@scalar/openapi-upgrader';
import type { Finding } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import { LineCounter, parseDocument } from 'yaml';
import { importFinding } from '../import-codes.ts';
import { joinPointer } from './json-pointer.ts';
import { keepListFormats } from './list-formats.ts';

export type JsonObject = Record<string, unknown>;

type Read<Value> = ({ ok: true } & Value) | { ok: false; finding: Finding };

/** Larger documents are refused. */
export const maxMebibytes = 50;

/** Parses an OpenAPI document and upgrades it to 3.1, so that all that follows knows one dialect. 3.2 adds to 3.1 and stays. */
export function readDocument(source: string | object): Read<{ document: JsonObject; version: string }> {
  const parsed = typeof source === 'string' ? parseText(source) : withinDepth(source);
  if (!parsed.ok) return parsed;
  const value = typeof source === 'string' ? parsed.value : structuredClone(source);
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
  if (version === '2.0') keepListFormats(value);
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
  const parsed = start.startsWith('{') ? parseJson(start) : parseYaml(text);
  return parsed.ok ? withinDepth(parsed.value) : parsed;
}

const maxLevels = 300;
const depthHint = 'Remove the inner levels. Where a value repeats itself, refer to it with $ref.';

/** Documents are read by functions that call themselves, which end where the stack does. */
function withinDepth(value: unknown): Read<{ value: unknown }> {
  // With the pointers of the first levels, to say where it is.
  let level = new Map<unknown, string>([[value, '']]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > maxLevels) {
      const [path] = level.values();
      return refuse('IMP003', `the document is nested more than ${maxLevels} levels deep`, depthHint, path);
    }
    const next = new Map<unknown, string>();
    for (const [node, pointer] of level) {
      if (typeof node !== 'object' || node === null) continue;
      for (const [key, child] of Object.entries(node)) {
        if (typeof child === 'object' && child !== null)
          next.set(child, depth < 4 ? joinPointer(pointer, key) : pointer);
      }
    }
    level = next;
  }
  return { ok: true, value };
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
    if (/call stack/i.test(error.message)) {
      return refuse('IMP003', `line ${line}, column ${col}: the document is nested too deep`, depthHint);
    }
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
