import { fieldsOf } from '../format/fields.generated.ts';
import { isObject } from '../json.ts';
import type { Place } from '../rule-report.ts';
import type { Header } from '../schema.ts';
import { reportUnknownFields } from './fields.ts';
import { ownHeaders } from './placement.ts';
import { headerName } from './root.ts';

const hint = "Write idempotency: { header: 'Idempotency-Key' }, with the header that the API documents.";

/** Parses `idempotency: { header }` of a tool. What is not valid is left out. */
export function parseIdempotency(
  value: unknown,
  { path, headers, report }: Place & { headers: readonly Header[] },
): string | undefined {
  if (value === undefined) return undefined;
  const place = `${path}.idempotency`;
  if (!isObject(value)) return report('VAL069', place, `idempotency must be an object; ignored (${path})`, hint);
  reportUnknownFields(value, fieldsOf.Idempotency, { path: place, report });
  const { header } = value;
  if (typeof header !== 'string' || !headerName.test(header) || ownHeaders.has(header.toLowerCase()))
    return report(
      'VAL069',
      `${place}.header`,
      `idempotency.header must be the name of a header; ignored (${path})`,
      hint,
    );
  if (!headers.some(({ name }) => name.toLowerCase() === header.toLowerCase())) return header;
  const message = `main.headers sets ${header} for all calls; idempotency is ignored (${path})`;
  return report('VAL069', `${place}.header`, message, 'Remove it from main.headers: each call has a key of its own.');
}
