import { childPath } from '../finding.ts';
import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import type {
  DatabaseResource,
  MarkdownResource,
  Resource,
  ResourceFile,
  ResourceOrigin,
  WebResource,
} from '../schema.ts';
import { splitPlaceholders } from '../template.ts';
import { reportUnknownFields, textField } from './fields.ts';
import { parseQueries } from './queries.ts';

/** The fields of all kinds together: what a kind has no use for has a finding of its own. */
const fields: readonly string[] = [...new Set([...fieldsOf.DatabaseResource, ...fieldsOf.WebResource])];
const maxResources = 2;
const noQueries: ReadonlyMap<string, never> = new Map<string, never>();

interface ResourceContext extends Place {
  name: string;
  secrets: ReadonlySet<string>;
}

/** Reads `resources`. A file is named by `database` with a path, or by `origin` with `name` or `database`. Leaves out unusable ones. */
export function parseResources(main: Fields, report: RuleReport): ReadonlyMap<string, Resource> {
  const resources = new Map<string, Resource>();
  if (main.resources === undefined) return resources;
  if (!isObject(main.resources)) {
    const hint = "Write resources: { places: { source: 'sqlite', … } }, or leave it out.";
    report('RES001', 'main.resources', 'main.resources must be an object', hint);
    return resources;
  }
  const entries = Object.entries(main.resources);
  if (entries.length > maxResources) {
    const message = `the schema has ${entries.length} resources; at most 2 are recommended`;
    report('RES006', 'main.resources', message, 'Split it: several schemas can share a namespace.');
  }
  const names = Array.isArray(main.requiredServerParams) ? main.requiredServerParams : [];
  const secrets = new Set(names.filter((name) => typeof name === 'string'));
  for (const [name, definition] of entries) {
    const path = childPath('main.resources', name);
    const resource = parseResource(definition, { name, path, secrets, report });
    if (resource) resources.set(name, resource);
  }
  return resources;
}

function parseResource(definition: unknown, context: ResourceContext): Resource | undefined {
  const { name, path, report } = context;
  if (!isObject(definition)) return report('RES001', path, 'a resource must be an object');
  reportUnknownFields(definition, fields, { path, report });
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    report('RES017', path, `resource name ${JSON.stringify(name)} is not a camelCase word`);
  }
  const description = textField(definition, 'description');
  if (description === undefined) {
    const hint = 'Describe what it contains; models choose by it.';
    report('RES002', `${path}.description`, `resource ${name} has no description`, hint);
  }
  const common = { name, description: description ?? '' };
  switch (parseSource(definition, context)) {
    case 'sqlite':
      return parseDatabase(definition, common, context);
    case 'markdown':
      return parseMarkdown(definition, common, context);
    case 'http':
      return parseWeb(definition, common, context);
    case undefined:
      return undefined;
  }
}

function parseSource(definition: Fields, { path, report }: ResourceContext): Resource['kind'] | undefined {
  const { source } = definition;
  if (source === 'sqlite' || source === 'markdown' || source === 'http') return source;
  const isDatabase = source === undefined && (definition.database !== undefined || definition.queries !== undefined);
  report('RES001', `${path}.source`, 'source must be sqlite, markdown or http', {
    hint: isDatabase
      ? "It is treated as a database. Write source: 'sqlite'."
      : `Got ${JSON.stringify(source) ?? 'nothing'}.`,
    ...(isDatabase && { severity: 'warning' }),
  });
  return isDatabase ? 'sqlite' : undefined;
}

function parseDatabase(
  definition: Fields,
  common: Pick<Resource, 'name' | 'description'>,
  context: ResourceContext,
): DatabaseResource | undefined {
  const { path, report } = context;
  const file = parseResourceFile(definition, { path, extensions: ['.db', '.sqlite', '.sqlite3'], report });
  const { mode: written, origin } = definition;
  // Both are only read.
  const mode = valuesOf['DatabaseResource.mode'].find((each) => each === written) ?? 'in-memory';
  if (written !== undefined && written !== mode) {
    const hint = "Write 'in-memory' or 'file-based'; both are read-only.";
    report('RES003', `${path}.mode`, `unknown mode ${JSON.stringify(written)}; in-memory is used`, hint);
  }
  // A file-based database is one that belongs to a project; where the file is found does not depend on it.
  if (mode === 'file-based' && origin !== 'project') {
    const found = origin === undefined ? 'none' : JSON.stringify(origin);
    const hint =
      "Write origin: 'project' for a file in .schemakit/resources/, or mode: 'in-memory'. Both are read-only.";
    const message = `a database with the mode file-based needs the origin project and has ${found}`;
    report('RES025', `${path}.origin`, message, hint);
  }
  const queries = parseQueries(definition.queries, context);
  return file && { ...common, kind: 'sqlite', mode, file, queries };
}

function parseMarkdown(
  definition: Fields,
  common: Pick<Resource, 'name' | 'description'>,
  context: ResourceContext,
): MarkdownResource | undefined {
  reportDatabaseFields(definition, context);
  const { path, report } = context;
  // Any text is a document to a reader, so only the name tells one from a key or a settings file.
  const file = parseResourceFile(definition, { path, extensions: ['.md', '.markdown', '.txt'], strict: true, report });
  return file && { ...common, kind: 'markdown', file, queries: noQueries };
}

function parseWeb(
  definition: Fields,
  common: Pick<Resource, 'name' | 'description'>,
  context: ResourceContext,
): WebResource | undefined {
  reportDatabaseFields(definition, context);
  const { path, report } = context;
  const url = textField(definition, 'url')?.trim();
  if (url !== undefined && splitPlaceholders(url).some(({ kind }) => kind === 'placeholder')) {
    return report('RES016', `${path}.url`, 'the url of a document has a placeholder', 'Write a tool instead.');
  }
  if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    const hint = "Write url: 'https://example.com/guide.md'.";
    return report('RES030', `${path}.url`, 'a resource with the source http needs an http(s) url', hint);
  }
  return { ...common, kind: 'http', url, queries: noQueries };
}

function reportDatabaseFields(definition: Fields, { path, report }: ResourceContext): void {
  for (const field of ['mode', 'queries'] as const) {
    const code = field === 'mode' ? 'RES026' : 'RES027';
    if (definition[field] !== undefined)
      report(code, `${path}.${field}`, `only databases have ${field}; it is ignored`);
  }
}

interface FileContext extends Place {
  /** In lower case, the usual one first. */
  extensions: readonly string[];
  /** Whether a file with another extension is refused. Default false. */
  strict?: boolean;
}

/** Reads where a resource's file is: `database` with a path, or `origin` with `name` (or `database`). */
function parseResourceFile(
  definition: Fields,
  { path, extensions, strict = false, report }: FileContext,
): ResourceFile | undefined {
  const field = textField(definition, 'database') === undefined ? 'name' : 'database';
  const file = textField(definition, field)?.trim();
  const origin = parseOrigin(definition.origin, { path, report });
  if (file === undefined) {
    const hint = `Write origin: 'inline', name: 'places${extensions[0] ?? ''}', for a file in the folder resources/ next to the schema.`;
    return report('RES005', path, 'the resource has no file', hint);
  }
  const place = `${path}.${field}`;
  if (file.split(/[\\/]/).includes('..') || file.includes('\0')) {
    const message = `the path ${JSON.stringify(file)} leaves its folder`;
    return report('RES005', place, message, 'Write a path without "..".');
  }
  if (!extensions.some((extension) => file.toLowerCase().endsWith(extension))) {
    report('RES005', place, `the file ${JSON.stringify(file)} has an unusual extension`, {
      severity: strict ? 'error' : 'warning',
      hint: `Use one of ${extensions.join(', ')}.`,
    });
    if (strict) return undefined;
  }
  return origin === undefined ? { path: file } : { path: file, origin };
}

function parseOrigin(origin: unknown, { path, report }: Place): ResourceOrigin | undefined {
  const known = valuesOf['DatabaseResource.origin'].find((each) => each === origin);
  if (known !== undefined) return known;
  if (origin !== undefined) {
    const hint = 'Write inline, project or global. The name is used as a path.';
    report('RES004', `${path}.origin`, `unknown origin ${JSON.stringify(origin)}`, hint);
  }
  return undefined;
}
