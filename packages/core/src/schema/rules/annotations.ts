import { fieldsOf } from '../format/fields.generated.ts';
import type { Annotations } from '../format/format-types.generated.ts';
import { isObject } from '../json.ts';
import type { Place } from '../rule-report.ts';
import { reportUnknownFields, textField } from './fields.ts';

const hint = 'Write annotations: { readOnlyHint: true }; the hints are true or false, without quotes.';

/** Parses the `annotations` of a tool. What is not valid is left out, so that it follows from the method. */
export function parseAnnotations(
  value: unknown,
  { path, method, report }: Place & { method: string },
): Annotations | undefined {
  if (value === undefined) return undefined;
  const place = `${path}.annotations`;
  if (!isObject(value)) return report('VAL067', place, `annotations must be an object; ignored (${path})`, hint);
  reportUnknownFields(value, fieldsOf.Annotations, { path: place, report });
  const annotations: Annotations = {};
  for (const key of fieldsOf.Annotations) {
    const given = value[key];
    if (given === undefined) continue;
    if (key === 'title') {
      const title = textField(value, key);
      if (title !== undefined) annotations.title = title;
      else report('VAL067', `${place}.title`, `annotations.title must be text; ignored (${path})`);
    } else if (typeof given === 'boolean') {
      annotations[key] = given;
    } else {
      report('VAL067', `${place}.${key}`, `annotations.${key} must be true or false; ignored (${path})`, hint);
    }
  }
  reportContradictions(annotations, { path, method, report });
  return annotations;
}

function reportContradictions(
  { readOnlyHint, destructiveHint }: Annotations,
  { path, method, report }: Place & { method: string },
): void {
  if (readOnlyHint !== true) return;
  const place = `${path}.annotations.readOnlyHint`;
  if (destructiveHint === true) {
    const fix = 'Remove one of them; clients choose by them what to call without asking.';
    report('VAL068', place, `a tool cannot be both read-only and destructive (${path})`, fix);
  } else if (method === 'DELETE') {
    const fix = 'Remove readOnlyHint, or use the method that the API reads with.';
    report('VAL068', place, `a tool with the method DELETE is not read-only (${path})`, fix);
  }
}
