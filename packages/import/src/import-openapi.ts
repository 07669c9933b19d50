import type { Finding } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import { groupOperations } from './group/group-operations.ts';
import type { PreviousTool } from './group/match-previous.ts';
import { nameOperations } from './group/name-operations.ts';
import { namespaceOf } from './group/namespace-of.ts';
import { importFinding, type Omission } from './import-codes.ts';

import { createImportContext, type ImportContext, LeftOut, type Located } from './plan/import-context.ts';

import { type OperationEntry, type OperationPlan, planOperation } from './plan/plan-operation.ts';
import type { UnreadDocument } from './read/bundle-references.ts';
import { isSelected, operationsOf } from './read/operations.ts';
import { type JsonObject, readDocument } from './read/read-document.ts';
import { notesFile } from './write/notes-file.ts';
import { type ImportedTool, writeGroup } from './write/write-group.ts';

export interface ImportOptions {
  /** Letters from a to z. Default: from the title of the document. */
  namespace?: string | undefined;
  /** Only these operations: patterns such as `GET /pets*`, `/pets/*` or an operationId. Default: all. */
  select?: readonly string[] | undefined;
  /** Only operations with one of these tags. Default: all. */
  tags?: readonly string[] | undefined;
  /** Largest number of tools in a file. Default 8. */
  limit?: number | undefined;
  /** The address of the API, instead of `servers` in the document. */
  server?: string | undefined;
  /** The address of the document, to which relative servers belong. */
  url?: string | undefined;
  /** Why documents that this one refers to are not there, by their addresses; see `bundleReferences`. */
  unread?: Readonly<Record<string, UnreadDocument>> | undefined;
  /**
   * The tools of an earlier import. Operations with the same method and path keep their names and files, as do tools of the same name.
   * Default: none.
   */
  previous?: readonly PreviousTool[] | undefined;
  /** Called after each operation. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

export interface ImportResult {
  /** False if any finding is an error. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** The namespace of the schemas; empty on failure. */
  namespace: string;
  /** The texts of the files by their paths; empty on failure. */
  files: Record<string, string>;
  tools: ImportedTool[];
  /** The names in `requiredServerParams` of all files, sorted. */
  secrets: string[];
  omissions: Omission[];
}

const defaultLimit = 8;

/**
 * Turns an OpenAPI document (2.0, 3.0, 3.1 or 3.2; JSON, YAML or parsed) into schema files. Sends nothing and writes nothing. What the files
 * do not say is in `omissions`. Never throws: findings are `IMP…` (docs/errors.md).
 *
 * @example
 * const { files } = importOpenApi({
 *   openapi: '3.1.0',
 *   info: { title: 'Pets', version: '1' },
 *   servers: [{ url: 'https://pets.example.com' }],
 *   paths: { '/pets': { get: { operationId: 'listPets', tags: ['pets'], summary: 'List all pets.' } } },
 * });
 * console.log(Object.keys(files)); // [ 'pets.mjs' ]
 */
export function importOpenApi(source: string | object, options: ImportOptions = {}): ImportResult {
  return importDocument(source, options);
}

/**
 * @param from What the document was made from, if it is not the source itself.
 * @param from.omissions What the document does not have of it.
 * @param from.examples What the examples are, in words: `the values of the curl command`.
 */
export function importDocument(
  source: string | object,
  options: ImportOptions,
  from: { name?: string; omissions?: readonly Omission[]; examples?: string } = {},
): ImportResult {
  const wrong = optionProblem(options);
  if (wrong !== undefined) return failedImport([wrong]);
  const read = readDocument(source);
  if (!read.ok) return failedImport([read.finding]);
  const { document, version } = read;
  const { server, url } = options;
  const namespace = options.namespace ?? namespaceOf(document, server ?? firstServer(document) ?? url);
  const omissions: Omission[] = [...(from.omissions ?? [])];
  const context = createImportContext(document, {
    onOmission: (omission) => omissions.push(omission),
    unread: options.unread,
  });
  const entries = operationsOf(document, { ...context, resolve: resolvePath });
  const operations = entries.map((entry) => ({
    entry,
    plan: (own: ImportContext) => planOperation(entry, { namespace, server, url, examples: from.examples }, own),
  }));
  return importOperations(
    { document, from: from.name ?? `OpenAPI ${version}`, namespace, operations, omissions },
    options,
  );

  /** A path that leads nowhere does not stop the others. */
  function resolvePath(located: Located): ReturnType<typeof context.resolve> {
    try {
      return context.resolve(located);
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      omissions.push(error.omission);
      return { ...located, value: undefined, refs: [] };
    }
  }
}

interface ImportOperation {
  entry: OperationEntry;
  /** Throws `LeftOut` for an operation that would be wrong. */
  plan(context: ImportContext): OperationPlan;
}

interface ImportSource {
  /** Where references lead, and what it says about the API. */
  document: JsonObject;
  /** Such as `OpenAPI 3.1`. */
  from: string;
  namespace: string;
  operations: readonly ImportOperation[];
  /** Of the document as a whole. */
  omissions: readonly Omission[];
  /** The code of a file with these tools. */
  handlers?: ((tools: readonly string[]) => string) | undefined;
}

/** Plans the selected operations, and writes them to files. */
export function importOperations(
  { document, from, namespace, operations, omissions: general, handlers }: ImportSource,
  { limit = defaultLimit, url, ...options }: ImportOptions,
): ImportResult {
  const entries = operations.map(({ entry }) => entry);
  const { names, kept, findings } = nameOperations(entries, namespace, options.previous);
  const selected = operations.filter(({ entry }) => isSelected(entry, options));
  if (selected.length === 0) return failedImport([...findings, nothingSelected(document, entries)]);
  const parts = new Map<string, string>();
  const { unread, onProgress } = options;
  const { plans, refused } = planAll(selected, document, { parts, unread, onProgress });
  const left = [...general, ...refused];
  if (plans.size === 0) return failedImport([...findings, nothingPlanned(left)], left);
  const groups = groupOperations([...plans.keys()], limit, earlierTools(plans.keys(), kept, options.previous));
  const written = groups.map((group) =>
    writeGroup(group, { document, from, url, namespace, names, omissions: plans, handlers }),
  );
  const omissions = distinct([
    ...left,
    ...[...plans.values()].flat(),
    ...written.flatMap((each) => each.omissions),
    ...webhooksOf(document),
  ]);
  const tools = written.flatMap((each) => each.tools);
  if (tools.length === 0) return failedImport([...findings, nothingPlanned(omissions)], omissions);
  const files = Object.fromEntries(written.flatMap(({ path, text }) => (text === '' ? [] : [[path, text]])));
  const texts = [...plans.keys()].flatMap(({ entry, notes }) =>
    notes.length > 0 ? [{ name: names.get(entry) ?? '', notes }] : [],
  );
  if (texts.length > 0 || parts.size > 0 || omissions.length > 0) {
    const title = isObject(document.info) ? String(document.info.title ?? namespace) : namespace;
    files[`${namespace}.md`] = notesFile({ title, tools: texts, parts, omissions });
  }
  const secrets = [...new Set(written.flatMap((each) => each.secrets))].toSorted();
  return { ...report(findings), namespace, files, tools, secrets, omissions };
}

/** Plans each operation by itself: one that cannot be said in the format does not stop the others. */
function planAll(
  operations: readonly ImportOperation[],
  document: JsonObject,
  { parts, unread, onProgress }: Pick<ImportOptions, 'onProgress' | 'unread'> & { parts: Map<string, string> },
): { plans: Map<OperationPlan, readonly Omission[]>; refused: Omission[] } {
  const plans = new Map<OperationPlan, readonly Omission[]>();
  const refused: Omission[] = [];
  for (const [index, { entry, plan }] of operations.entries()) {
    const omissions: Omission[] = [];
    const onOmission = (omission: Omission) => omissions.push(omission);
    const context = createImportContext(document, { onOmission, texts: parts, unread });
    try {
      plans.set(plan(context), omissions);
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      const { method, path } = entry;
      refused.push({ ...error.omission, message: `${method} ${path}: ${error.omission.message}` });
    }
    onProgress?.({ done: index + 1, total: operations.length });
  }
  return { plans, refused };
}

/** The earlier tools of operations, in their order. */
function earlierTools(
  plans: Iterable<OperationPlan>,
  kept: ReadonlyMap<OperationEntry, PreviousTool>,
  previous: readonly PreviousTool[] = [],
): Map<OperationPlan, PreviousTool> {
  const order = new Map(previous.map((tool, index) => [tool, index]));
  const pairs = [...plans].flatMap((plan): [OperationPlan, PreviousTool][] => {
    const tool = kept.get(plan.entry);
    return tool === undefined ? [] : [[plan, tool]];
  });
  return new Map(pairs.toSorted(([, left], [, right]) => (order.get(left) ?? 0) - (order.get(right) ?? 0)));
}

/** Parts that several operations refer to are noted once. */
function distinct(omissions: readonly Omission[]): Omission[] {
  return [...new Map(omissions.map((omission) => [JSON.stringify(omission), omission])).values()];
}

function webhooksOf({ webhooks }: JsonObject): Omission[] {
  if (!isObject(webhooks) || Object.keys(webhooks).length === 0) return [];
  const message = `${Object.keys(webhooks).length} webhooks are requests that the API sends`;
  return [
    {
      code: 'IMP024',
      pointer: '/webhooks',
      message,
      hint: 'Tools send requests; receive these with a server of your own.',
    },
  ];
}

function firstServer({ servers }: JsonObject): string | undefined {
  const [first] = Array.isArray(servers) ? servers : [];
  return isObject(first) && typeof first.url === 'string' ? first.url : undefined;
}

export function optionProblem({ namespace, limit = defaultLimit, server }: ImportOptions): Finding | undefined {
  if (namespace !== undefined && !/^[a-z]{1,40}$/.test(namespace)) {
    return importFinding('IMP006', `the namespace ${JSON.stringify(namespace)} is not made of letters`, {
      hint: 'Use 1 to 40 letters from a to z.',
    });
  }
  if (!Number.isInteger(limit) || limit < 1) {
    return importFinding('IMP006', 'the limit of tools in a file is not a whole number from 1', {
      hint: 'Leave it out for 8.',
    });
  }
  if (server !== undefined && !/^https?:\/\/[^\s?#]+$/.test(server)) {
    return importFinding('IMP006', `the server ${JSON.stringify(server)} is not an http(s) address`, {
      hint: 'Write it as https://api.example.com/v1.',
    });
  }
  return undefined;
}

function nothingSelected(document: JsonObject, entries: readonly OperationEntry[]): Finding {
  const [first] = entries;
  if (first === undefined) {
    const isWebhooks = isObject(document.webhooks) && Object.keys(document.webhooks).length > 0;
    const message = isWebhooks
      ? 'the document has only webhooks, which the API sends'
      : 'the document has no operations';
    return importFinding('IMP004', message, {
      path: '/paths',
      hint: 'Import the document that describes the requests to the API.',
    });
  }
  const tags = new Set(
    entries.flatMap(({ operation }) => (Array.isArray(operation.value.tags) ? operation.value.tags.map(String) : [])),
  );
  const some = tags.size === 0 ? '' : ` Its tags: ${[...tags].toSorted().slice(0, 10).join(', ')}.`;
  const hint = `Select operations as 'GET ${first.path}' or '/path/*', or by tag.${some}`;
  return importFinding('IMP004', `none of ${entries.length} operations matches the selection`, { hint });
}

function nothingPlanned(omissions: readonly Omission[]): Finding {
  const [first] = omissions;
  const code = first?.code === 'IMP005' ? 'IMP005' : 'IMP004';
  const hint = first?.hint ?? 'Correct the document.';
  return importFinding(code, first?.message ?? 'no operation can be imported', { path: first?.pointer ?? '', hint });
}

function report(findings: readonly Finding[]): Pick<ImportResult, 'status' | 'messages' | 'findings'> {
  const status = findings.every(({ severity }) => severity !== 'error');
  return { status, messages: findings.map(({ code, message }) => `${code} ${message}`), findings: [...findings] };
}

export function failedImport(findings: readonly Finding[], omissions: Omission[] = []): ImportResult {
  return { ...report(findings), namespace: '', files: {}, tools: [], secrets: [], omissions };
}
