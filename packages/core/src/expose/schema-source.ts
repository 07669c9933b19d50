import type { SecretValues } from '../call/plan-request.ts';
import type { Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { isObject } from '../format/json.ts';
import { mainOf } from '../format/main-of.ts';
import { resolveRecord } from '../load/resolve-record.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import type { ExposedSchema } from './exposed-tool.ts';

/** Which schema or schemas to work with. */
export interface SchemaSource {
  /** What `loadSchema` returned, or its `main`. */
  schema?: unknown;
  /** The same as `schema`. */
  main?: unknown;
  /** Several of them. */
  schemas?: readonly unknown[];
  /** Hooks by tool. Default: those that were loaded with the schema. */
  handlerMap?: HandlerMap;
  /** Values of the server parameters by name. */
  serverParams?: SecretValues;
}

/**
 * The records of schemas. One that is not usable is an error; with `validate: false` it is left out, with a warning that
 * says which it was.
 */
export function resolveSchemas({
  schema,
  main,
  schemas,
  handlerMap,
  validate = true,
}: SchemaSource & { validate?: boolean }): { schemas: ExposedSchema[]; findings: Finding[] } {
  const one = main ?? schema;
  const several = Array.isArray(schemas) ? schemas : [];
  const given = [
    ...several.map((value, index) => ({ value, path: `schemas[${index}]` })),
    ...(one === undefined ? [] : [{ value: one, path: main === undefined ? 'schema' : 'main' }]),
  ];
  const findings: Finding[] = [];
  if (given.length === 0) findings.push(noSchema);
  const resolved = given.flatMap(({ value, path }): ExposedSchema[] => {
    const result = resolveRecord(value);
    if (result.record === undefined) {
      findings.push(...(validate ? result.findings : [leftOut(value, path, result.findings)]));
      return [];
    }
    const plain = mainOf(value);
    const record: SchemaRecord = handlerMap ? { ...result.record, handlerMap } : result.record;
    return isObject(plain) ? [{ main: plain, record }] : [];
  });
  return { schemas: resolved, findings };
}

const noSchema: Finding = {
  code: 'ARG003',
  severity: 'error',
  path: 'schema',
  message: 'schema or schemas is required',
  hint: 'Pass what SchemaKit.loadSchema({ filePath }) returned.',
};

function leftOut(value: unknown, path: string, findings: readonly Finding[]): Finding {
  const { file, main } = Object(value) as { file?: unknown; main?: unknown };
  const { namespace } = Object(main ?? value) as { namespace?: unknown };
  const name = [file, namespace].find((part) => typeof part === 'string' && part !== '');
  const reason = findings.map(({ message }) => message).join('; ');
  const message = `${name === undefined ? path : `${path} (${name})`} is left out: ${reason}`;
  return schemaFinding('VAL091', path, message, { severity: 'warning', hint: 'Mend it, and load it again.' });
}
