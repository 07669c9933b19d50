import { type Finding, hasNoErrors } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { isObject } from '../format/json.ts';
import { readSchema } from '../format/read-schema.ts';
import type { Schema } from '../format/schema.ts';
import { findOriginalRecord, findRecord, keepRecord, type SchemaRecord } from './schema-record.ts';

/** Either the record of a schema, or why there is none. */
export type ResolvedRecord = { record: SchemaRecord; findings?: never } | { record?: never; findings: Finding[] };

/** The record of what a caller passes as a schema: the result of `loadSchema`, its `main`, or a `main` of their own. */
export function resolveRecord(value: unknown): ResolvedRecord {
  const main = mainOf(value);
  if (!isObject(main)) {
    const message = 'a schema is required: the result of loadSchema, or its main';
    const failed = isObject(value) && value.status === false;
    const hint = failed
      ? 'This schema did not load; its findings say why.'
      : 'Call SchemaKit.loadSchema({ filePath }) first.';
    return { findings: [schemaFinding('VAL002', 'schema', message, { hint })] };
  }
  const known = findRecord(main);
  if (known) return { record: known };
  return recordBareMain(main);
}

/** The `main` in what `loadSchema` returned; anything else is taken as a `main` itself. */
export function mainOf(value: unknown): unknown {
  return isObject(value) && 'main' in value && ('status' in value || 'handlerMap' in value) ? value.main : value;
}

function recordBareMain(main: Record<string, unknown>): ResolvedRecord {
  const findings: Finding[] = [];
  const schema = readSchema(main, (finding) => findings.push(finding));
  if (schema === undefined || !hasNoErrors(findings)) return { findings };
  // A loaded `main` that was changed in place keeps what was loaded with it; only its own fields are read again.
  const original = findOriginalRecord(main);
  const unloaded = original ? [] : needsLoading(schema);
  if (unloaded.length > 0) return { findings: unloaded };
  const { handlerMap = {}, grants = {}, approveRoot = true, file, program } = original ?? {};
  const record: SchemaRecord = {
    schema: original ? withResolvedInputs(schema, original.schema) : schema,
    handlerMap,
    grants,
    approveRoot,
    ...(file !== undefined && { file }),
    ...(program && { program }),
  };
  keepRecord(main, record);
  return { record };
}

/** What a `main` that was never loaded lacks: the values of shared lists, and handlers for its libraries. */
export function needsLoading(schema: Schema): Finding[] {
  const lists = [...schema.tools.values()].flatMap(({ inputs }) =>
    inputs.flatMap(({ z }) => z.members?.flatMap((member) => (typeof member === 'object' ? [member.list] : [])) ?? []),
  );
  const reasons = [
    ...[...new Set(lists)].map((list) => `values of the shared list '${list}'`),
    ...schema.requiredLibraries.map((library) => `handlers that use ${library}`),
    ...(schema.root.startsWith('local://') && schema.tools.size > 0 ? ['handlers, since its root is local'] : []),
  ];
  return reasons.map((reason) =>
    schemaFinding('VAL090', 'main', `this main needs ${reason}, which only loading its file gives`, {
      hint: 'Call SchemaKit.loadSchema({ filePath }) and pass its result.',
    }),
  );
}

function withResolvedInputs(schema: Schema, original: Schema): Schema {
  const tools = new Map(
    [...schema.tools].map(([name, tool]) => {
      const known = original.tools.get(name);
      const hasLists = tool.inputs.some(({ z }) => z.members?.some((member) => typeof member === 'object'));
      return [name, hasLists && known ? { ...tool, inputs: known.inputs } : tool];
    }),
  );
  return { ...schema, tools };
}
