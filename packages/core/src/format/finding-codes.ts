import type { Finding, Severity } from './finding.ts';

/** Codes of rules about `main` and what belongs to it. */
export type SchemaCode =
  | 'VAL001'
  | 'VAL002'
  | 'VAL003'
  | 'VAL004'
  | 'VAL005'
  | 'VAL006'
  | 'VAL007'
  | 'VAL008'
  | 'VAL010'
  | 'VAL011'
  | 'VAL012'
  | 'VAL013'
  | 'VAL014'
  | 'VAL015'
  | 'VAL016'
  | 'VAL017'
  | 'VAL018'
  | 'VAL019'
  | 'VAL020'
  | 'VAL021'
  | 'VAL022'
  | 'VAL023'
  | 'VAL024'
  | 'VAL025'
  | 'VAL026'
  | 'VAL027'
  | 'VAL028'
  | 'VAL030'
  | 'VAL031'
  | 'VAL032'
  | 'VAL033'
  | 'VAL034'
  | 'VAL035'
  | 'VAL036'
  | 'VAL037'
  | 'VAL038'
  | 'VAL039'
  | 'VAL040'
  | 'VAL041'
  | 'VAL042'
  | 'VAL043'
  | 'VAL048'
  | 'VAL049'
  | 'VAL050'
  | 'VAL051'
  | 'VAL052'
  | 'VAL053'
  | 'VAL054'
  | 'VAL055'
  | 'VAL056'
  | 'VAL057'
  | 'VAL058'
  | 'VAL059'
  | 'VAL060'
  | 'VAL061'
  | 'VAL062'
  | 'VAL063'
  | 'VAL064'
  | 'VAL065'
  | 'VAL066'
  | 'VAL070'
  | 'VAL071'
  | 'VAL072'
  | 'VAL073'
  | 'VAL074'
  | 'VAL075'
  | 'VAL076'
  | 'VAL090'
  | 'VAL091'
  | 'VAL092'
  | 'TST001'
  | 'TST002'
  | 'TST003'
  | 'TST004'
  | 'TST005'
  | 'TST006'
  | 'TST007';

/** Rules about `main`, by code: how severe a breach is, and what the rule asks for. */
export const schemaCodes: Readonly<Record<SchemaCode, readonly [Severity, string]>> = {
  VAL001: ['error', 'A schema file exports `main`.'],
  VAL002: ['error', '`main` is a plain object.'],
  VAL003: ['warning', '`main` and its parts have no unknown fields.'],
  VAL004: ['error', '`handlers` is a function that returns a plain object.'],
  VAL005: ['error', 'Each key that the handlers factory returns is the name of a tool or a resource.'],
  VAL006: ['error', '`main` is plain data that JSON can carry.'],
  VAL007: ['warning', 'An object has each of its keys once; the last one counts.'],
  VAL008: ['error', 'A file that is loaded as a schema is no agent manifest.'],
  VAL010: ['error', '`namespace` is given.'],
  VAL011: ['error', '`namespace` has only the letters a to z.'],
  VAL012: ['error', '`name` is given.'],
  VAL013: ['error', '`description` is given.'],
  VAL014: ['error', '`version` is 3.x.y. 2.x.y, for format 2, is a warning.'],
  VAL015: ['error', '`root` is the base URL of the API, unless no tool calls it.'],
  VAL016: ['error', '`tools` is an object with at least one tool, unless there are resources, prompts or skills.'],
  VAL017: ['error', '`tools` and `routes` do not stand side by side.'],
  VAL018: ['warning', '`routes` is the old name of `tools`.'],
  VAL019: ['warning', '`root` is an https URL without a trailing slash, a user, a password and a fragment.'],
  VAL020: ['warning', '`docs` is an array of links.'],
  VAL021: ['warning', '`tags` is an array of words.'],
  VAL022: ['warning', '`requiredServerParams` is an array of names.'],
  VAL023: ['warning', '`headers` is an object of text.'],
  VAL024: ['error', '`sharedLists` is an array of references.'],
  VAL025: ['warning', '`requiredLibraries` is an array of names.'],
  VAL026: ['error', 'Each required library is on the allowlist.'],
  VAL027: ['error', 'Each server parameter that is used is declared in `requiredServerParams`.'],
  VAL028: ['warning', 'Handlers fetch from the origin of `root`, or from origins that were granted.'],
  VAL030: ['warning', 'A tool name has only characters that MCP clients take, so that it is exposed as it is.'],
  VAL031: ['error', 'A schema of format 2 has at most 8 routes.'],
  VAL032: ['error', 'A tool has an HTTP method.'],
  VAL033: ['error', 'A tool has a path that starts with a slash.'],
  VAL034: ['error', 'A tool has a description.'],
  VAL035: ['error', 'A tool has an array of parameters.'],
  VAL036: ['warning', 'A tool declares its output.'],
  VAL037: ['info', '`async` is reserved; it does nothing yet.'],
  VAL038: ['warning', 'A schema has at most 8 tools.'],
  VAL039: ['warning', '`preload` is `{ enabled, ttl }`, with the ttl in whole seconds.'],
  VAL040: ['error', 'A parameter has a `position` block and a `z` block.'],
  VAL041: ['error', '`position.key` is text.'],
  VAL042: ['error', '`position.value` is text.'],
  VAL043: ['error', '`position.location` is query, insert or body.'],
  VAL048: ['error', 'A list that an enum names is declared in `sharedLists`.'],
  VAL049: ['error', 'A field that an enum names exists in the list.'],
  VAL050: ['warning', 'An insert parameter has its placeholder in the path.'],
  VAL051: ['warning', 'A placeholder in the path or in a value is filled by something that is declared.'],
  VAL052: ['warning', 'Body parameters stand in requests that carry a body.'],
  VAL053: ['warning', 'Parameters are an array, not the shorthand object.'],
  VAL054: ['warning', 'A tool whose root is local has an `executeRequest` handler.'],
  VAL055: ['warning', 'What handlers give for a tool is an object of functions with the names of hooks.'],
  VAL056: ['warning', 'The braces of a placeholder are closed, with a name in them.'],
  VAL057: ['warning', 'No two parameters of a tool go to the same place under the same key.'],
  VAL058: ['warning', 'A value in the path is never absent: callers must give it, or it has a default.'],
  VAL059: ['info', 'An input has a name that strict MCP clients take.'],
  VAL060: ['warning', '`output.mimeType` is a media type.'],
  VAL061: ['warning', '`output.schema` describes the answer, in nodes with a known type.'],
  VAL062: ['warning', 'The type of `output.schema` is one that `output.mimeType` can carry.'],
  VAL063: ['warning', '`output.schema` is at most four levels deep.'],
  VAL064: ['warning', 'In `output.schema`, only objects have `properties`.'],
  VAL065: ['warning', 'In `output.schema`, only arrays have `items`.'],
  VAL066: ['warning', 'Parameters of a tool with the same key have the same `z`.'],
  VAL070: ['error', 'A shared list reference names its list.'],
  VAL071: ['warning', 'A shared list reference names a version, such as 1.0.0.'],
  VAL072: ['error', 'A shared list exists.'],
  VAL073: ['error', 'A shared list has the version that is asked for.'],
  VAL074: ['warning', 'A filter names a field and one condition, and keeps entries of its list.'],
  VAL075: ['warning', 'A shared list that is referenced is used, by an enum or by the handlers.'],
  VAL076: ['warning', 'A shared list is referenced once.'],
  VAL090: ['error', 'A schema whose enums, lists or handlers are needed was loaded with `loadSchema`.'],
  VAL091: ['error', 'A schema that is used did load.'],
  VAL092: [
    'info',
    'A file has at most 1,000 findings. More are left out, warnings before errors; after 2,000, checking stops with an error.',
  ],
  TST001: ['warning', 'A tool has at least three tests.'],
  TST002: ['warning', 'A test has a `_description`.'],
  TST003: ['warning', 'A test gives each value that a call needs.'],
  TST004: ['warning', 'A value in a test is one that a call would take.'],
  TST005: ['warning', 'A test is an object of values that JSON can carry.'],
  TST006: ['warning', 'A test gives only values that the tool knows.'],
  TST007: ['info', 'The tests of a tool give more than one value of each enum.'],
};

/** Optional parts of a finding about a schema. */
export interface FindingDetail {
  hint?: string;
  /** Differs from the table's severity only where what real files do is milder than the rule. */
  severity?: Severity;
}

/** Makes a finding of a rule in the table. */
export function schemaFinding(
  code: SchemaCode,
  path: string,
  message: string,
  { hint, severity = schemaCodes[code][0] }: FindingDetail = {},
): Finding {
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}
