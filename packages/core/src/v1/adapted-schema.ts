import { createHandlers } from '../load/create-handlers.ts';
import type { SchemaRecord } from '../load/schema-record.ts';
import { isObject } from '../schema/json.ts';
import { adaptLegacy } from '../schema/legacy/adapt-legacy.ts';
import { parseSchema } from '../schema/parse-schema.ts';

/** A format 1 schema as the runtime of format 3 takes it. */
export interface AdaptedSchema {
  main: Record<string, unknown>;
  record: SchemaRecord;
  /** As the schema has it: the tool names of format 1 are made from it. */
  namespace: string;
  warnings: string[];
}

type Conversion = { ok: true; adapted: AdaptedSchema } | { ok: false; messages: string[] };

/** Converts a schema of a program. Its handlers can reach any address themselves, so their requests may go anywhere public. */
export function convertSchema(schema: unknown): Conversion {
  const { main, handlersFn, warnings, messages } = adaptLegacy({ legacySchema: schema });
  if (main === null) return { ok: false, messages };
  const errors: string[] = [];
  const read = parseSchema(main, ({ severity, message }) => {
    if (severity === 'error') errors.push(message);
  });
  if (read === undefined || errors.length > 0) return { ok: false, messages: errors };
  const { handlerMap } = createHandlers({ handlersFn, routeNames: [...read.tools.keys()] });
  const record: SchemaRecord = {
    schema: read,
    handlerMap,
    rowsHooks: {},
    prompts: [],
    grants: { network: 'any' },
    approveRoot: true,
  };
  const written = isObject(schema) ? schema.namespace : undefined;
  const namespace = typeof written === 'string' ? written : read.namespace;
  return { ok: true, adapted: { main, record, namespace, warnings } };
}

/** The same for callers that have checked the schema, or do not want it checked. @throws Error where it cannot be converted. */
export function adaptSchema(schema: unknown): AdaptedSchema {
  const conversion = convertSchema(schema);
  if (conversion.ok) return conversion.adapted;
  return throwValidation(conversion.messages);
}

/** Throws what format 1 threw for bad input. */
export function throwValidation(messages: readonly string[]): never {
  throw new Error(`\nValidation Error(s):\n- ${messages.join('\n- ')}`);
}
