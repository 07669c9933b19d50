import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject, type JsonObject } from '../json.ts';
import { fieldsOf } from '../schema/fields.generated.ts';
import type { Output } from '../tool.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { checkOutputSchema } from './output-schema.ts';

/** Reads `output: { mimeType, schema }` (specification 2.2). Real files use many media types and depths, so nothing here stops a schema. */
export function readOutput(value: unknown, { path, report }: { path: string; report: Report }): Output | undefined {
  const place = `${path}.output`;
  if (value === undefined) {
    report(
      schemaFinding('VAL036', place, `the answer is not described (${path})`, {
        hint: "Add output: { mimeType: 'application/json', schema: { type: 'object', properties: { … } } }.",
      }),
    );
    return undefined;
  }
  if (!isObject(value)) {
    report(schemaFinding('VAL061', place, `output must be { mimeType, schema } (${path})`));
    return undefined;
  }
  // `type` and `fields` stand beside them where the block comes from `generateOutputSchema`.
  reportUnknownFields(value, [...fieldsOf.Output, 'type', 'fields'], { path: place, report });
  const mimeType = textField(value, 'mimeType');
  if (mimeType === undefined || !/^[^\s/;]+\/[^\s/;]+\s*(;.*)?$/s.test(mimeType)) {
    report(
      schemaFinding('VAL060', `${place}.mimeType`, `output.mimeType is not a media type (${path})`, {
        hint: 'Write "application/json", "text/plain", "image/png" or what the API answers with.',
      }),
    );
  }
  if (!isObject(value.schema)) {
    report(schemaFinding('VAL061', `${place}.schema`, `output.schema must be an object (${path})`));
    return { mimeType: mimeType ?? 'application/json' };
  }
  checkOutputSchema(value.schema, { path: `${place}.schema`, mimeType, report });
  return { mimeType: mimeType ?? 'application/json', schema: value.schema as JsonObject };
}
