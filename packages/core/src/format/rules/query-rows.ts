import type { Report } from '../finding.ts';
import { isObject, type JsonObject } from '../json.ts';
import { resourceFinding } from '../resource-codes.ts';
import type { Output } from '../tool.ts';
import { textArray } from './fields.ts';
import { readOutput } from './output.ts';

/** Reads what a query says about its rows: `{ mimeType, schema }`, or the names of the columns in `{ columns }`. */
export function readRows(value: unknown, { path, report }: { path: string; report: Report }): Output {
  const place = `${path}.output`;
  if (value === undefined) {
    report(
      resourceFinding('RES011', place, 'the rows are not described', {
        hint: "Add output: { mimeType: 'application/json', schema: { type: 'array', items: { … } } }.",
      }),
    );
    return rowsOf({});
  }
  const columns = isObject(value) ? textArray(value.columns) : undefined;
  if (columns) return rowsOf(Object.fromEntries(columns.map((column) => [column, {}])));
  const output = readOutput(value, { path, report });
  if (output?.schema === undefined) return rowsOf({});
  if (output.schema.type !== 'array') {
    report(
      resourceFinding('RES021', `${place}.schema`, 'output.schema does not describe an array', {
        hint: "A query gives rows: write { type: 'array', items: { type: 'object', properties: { … } } }. A postRequest handler may give something else.",
      }),
    );
  }
  return output;
}

function rowsOf(properties: JsonObject): Output {
  const items: JsonObject = { type: 'object', ...(Object.keys(properties).length > 0 && { properties }) };
  return { mimeType: 'application/json', schema: { type: 'array', items } };
}
