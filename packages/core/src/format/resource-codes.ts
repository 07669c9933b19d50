import type { Finding, Severity } from './finding.ts';
import type { FindingDetail } from './finding-codes.ts';

/** Codes of rules about `resources`. */
export type ResourceCode =
  | 'RES001'
  | 'RES002'
  | 'RES003'
  | 'RES004'
  | 'RES005'
  | 'RES006'
  | 'RES007'
  | 'RES008'
  | 'RES009'
  | 'RES010'
  | 'RES011'
  | 'RES012'
  | 'RES013'
  | 'RES014'
  | 'RES015'
  | 'RES016'
  | 'RES017'
  | 'RES018'
  | 'RES019'
  | 'RES020'
  | 'RES021'
  | 'RES022'
  | 'RES023'
  | 'RES024'
  | 'RES025'
  | 'RES026'
  | 'RES027'
  | 'RES028'
  | 'RES030'
  | 'RES031';

/** Rules about `resources`, by code: how severe a breach is, and what the rule asks for. */
export const resourceCodes: Readonly<Record<ResourceCode, readonly [Severity, string]>> = {
  RES001: ['error', '`resources` is an object; the `source` of each is sqlite, markdown or http.'],
  RES002: ['warning', 'A resource has a description.'],
  RES003: ['warning', '`mode` is in-memory or file-based.'],
  RES004: ['warning', '`origin` is inline, project or global.'],
  RES005: ['error', 'A resource names its file, without `..`, and with an extension that fits.'],
  RES006: ['warning', 'A schema has at most 2 resources.'],
  RES007: ['warning', 'A resource has at least one query and at most 8.'],
  RES008: ['error', 'A query has `sql`.'],
  RES009: ['warning', 'A query has a description.'],
  RES010: [
    'error',
    'A query has an array of parameters, each with `position` and `z`; a value is a literal or `{{USER_PARAM}}`.',
  ],
  RES011: ['warning', 'A query declares its output.'],
  RES012: ['warning', 'A query has at least one test.'],
  RES013: ['error', '`sql` is one SELECT, WITH or EXPLAIN statement.'],
  RES014: ['error', 'A query has as many parameters as its `sql` has `?`.'],
  RES015: ['warning', 'A parameter of a query has no location.'],
  RES016: ['error', 'A resource uses no server parameter.'],
  RES017: ['warning', 'A resource name is a camelCase word.'],
  RES018: ['warning', 'A query name is a camelCase word.'],
  RES019: ['error', 'A parameter of a query is a string, a number, a boolean or an enum.'],
  RES020: ['warning', 'The file of a resource is there when its schema is loaded.'],
  RES021: ['warning', '`output.schema` of a query describes an array of rows.'],
  RES022: ['warning', 'A test of a query gives values that the parameters take.'],
  RES023: ['warning', 'A test of a query is plain data that JSON can carry.'],
  RES024: ['warning', 'A database has a query `getSchema` that describes its tables.'],
  RES025: ['warning', 'A database with the mode file-based has the origin project.'],
  RES026: ['warning', 'Only a database has a mode.'],
  RES027: ['warning', 'Only a database has queries.'],
  RES028: ['warning', 'Parameters of a query with the same key have the same `z`.'],
  RES030: ['error', 'A resource with the source http has an http(s) `url`.'],
  RES031: ['warning', 'A server takes the resources of a schema that is activated on it.'],
};

/** Makes a finding about a resource. Its message ends with the place, because a schema has many queries. */
export function resourceFinding(
  code: ResourceCode,
  path: string,
  message: string,
  { hint, severity = resourceCodes[code][0] }: FindingDetail = {},
): Finding {
  return { code, severity, path, message: `${message} (${path})`, ...(hint !== undefined && { hint }) };
}
