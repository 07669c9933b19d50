import type { Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Output } from '../tool.ts';
import { textField } from './fields.ts';

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
  const mimeType = textField(value, 'mimeType');
  if (mimeType === undefined || !/^[^\s/]+\/[^\s/]+$/.test(mimeType)) {
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
  const depth = depthOf(value.schema);
  if (depth > 4) {
    report(
      schemaFinding('VAL063', `${place}.schema`, `output.schema is ${depth} levels deep (${path})`, {
        severity: 'info',
        hint: 'Four are easier to read for people and models.',
      }),
    );
  }
  return { mimeType: mimeType ?? 'application/json', schema: value.schema as JsonObject };
}

function depthOf(root: Record<string, unknown>): number {
  let depth = 0;
  let level: Record<string, unknown>[] = [root];
  while (level.length > 0 && depth < 100) {
    depth += 1;
    level = level.flatMap((node) => {
      const children = isObject(node.properties) ? Object.values(node.properties) : [];
      return [...children, node.items].filter(isObject);
    });
  }
  return depth;
}
