import { findingMaker, type MakeFinding } from './finding.ts';

/** Rules about `resources`, by code: how severe a breach is, and what the rule asks for. */
export const resourceCodes = {
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
} as const;

export type ResourceCode = keyof typeof resourceCodes;

/** Makes a finding about a resource. Its message ends with the place, because a schema has many queries. */
export const resourceFinding: MakeFinding<ResourceCode> = findingMaker(resourceCodes, { endsWithPath: true });
