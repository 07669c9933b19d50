import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { enforceLock } from '../lock/check-lock.ts';
import type { Grants } from '../lock/grants.ts';
import { findLockFile, trustCommand } from '../lock/lock-paths.ts';
import { rememberPinnedParts } from '../lock/schema-pin.ts';
import { analyzeModule } from '../module/analyze-module.ts';
import type { ModuleText } from '../module/module-text.ts';
import { findMissingFiles } from '../resources/locate-file.ts';
import type { HandlerLibrary } from '../sandbox/handler-program.ts';
import { checkResult, type Finding, hasNoErrors, type Result } from '../schema/finding.ts';
import { createFindingList, limitFindings } from '../schema/finding-list.ts';
import type { SchemaMain } from '../schema/format/format-types.generated.ts';
import { cloneData } from '../schema/json.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { Prompt } from '../schema/prompts/prompt.ts';
import type { Schema, SharedLists } from '../schema/schema.ts';
import { attachHandlers, attachTrusted, foreignOrigins } from './attach-handlers.ts';
import { checkAllowlist, defaultAllowlist, isAllowed, locateLibrary, notInstalled } from './libraries.ts';
import { checkPin } from './library-pin.ts';
import { unusedLists, withListValues } from './lists/list-values.ts';
import { findListsDir, readSharedLists } from './lists/shared-lists.ts';
import { type LoadSchemaOptions, parseLoadOptions } from './parse-load-options.ts';
import { type ParsedMain, parseMain } from './parse-main.ts';
import { type FileResult, readModuleFile } from './read-file.ts';
import { asWarning, readPromptFiles } from './read-prompt-files.ts';
import { type HandlerMap, storeRecord } from './schema-record.ts';

/** The result of `loadSchema`. `main` is as in the file, and null if it could not be read. */
export type LoadedSchema = Result<
  LoadedParts & { main: SchemaMain },
  LoadedParts & { main: Record<string, unknown> | null }
>;

interface LoadedParts {
  /** Tool name to hooks, which run in the sandbox. Empty without handlers. */
  handlerMap: HandlerMap;
  /** The entries of the shared lists that the schema references, filtered. */
  sharedLists: SharedLists;
  /** Skills and prompts with their texts. */
  prompts: readonly Prompt[];
  /** Names of the file's exports, in order. */
  exports: readonly string[];
  file: string;
}

/**
 * Loads a schema file: scans it, parses and checks `main`, resolves shared lists and libraries, and attaches the handlers. None
 * of its code runs in this process. Never throws: problems are `findings`, with code, path, line and hint.
 */
export async function loadSchema(given: LoadSchemaOptions): Promise<LoadedSchema> {
  const { options, problems } = parseLoadOptions(given);
  const { filePath, strict = false } = options;
  if (!hasNoErrors(problems)) return loaded({ findings: problems, file: '', strict });
  const file = resolve(filePath);
  const read = readModuleFile(file, { keepsBytes: options.isolation === 'trusted' });
  if (!read.ok) return loaded({ findings: [read.finding], file, strict });
  const { scan = 'enforce' } = options;
  const allowlist = allowlistOf(options);
  const reading = await parseMain(read.source, { file, scan, allowlist });
  const scanned = scan === 'report' ? reading.scanned.map(asWarning) : reading.scanned;
  // Cached results may come from another file with the same content.
  const findings = [...problems, ...scanned, ...reading.findings].map((finding) => ({ ...finding, file }));
  const { exports } = reading;
  const schema = withRoot(reading, options.roots);
  if (schema === undefined) return loaded({ findings, file, strict, exports });
  return finishLoading({ options, file, read, reading, schema, findings });
}

/** The schema with its root replaced: addresses are parts of its tools. */
function withRoot({ schema, main }: ParsedMain, roots: LoadSchemaOptions['roots'] = {}): Schema | undefined {
  if (schema === undefined || !Object.hasOwn(roots, schema.namespace)) return schema;
  return parseSchema({ ...Object(main), root: roots[schema.namespace] }, () => {}, { isData: true });
}

interface Loading {
  options: LoadSchemaOptions;
  file: string;
  read: Extract<FileResult, { ok: true }>;
  reading: ParsedMain;
  schema: Schema;
  findings: Finding[];
}

async function finishLoading({ options, file, read, reading, schema, findings }: Loading): Promise<LoadedSchema> {
  const { strict = false, scan = 'enforce', grants = {}, approveRoot = true } = options;
  const allowlist = allowlistOf(options);
  const more = createFindingList();
  const { add } = more;
  const listsDir = options.listsDir ?? (schema.sharedLists.length > 0 ? findListsDir(file) : undefined);
  const { sharedLists, findings: listFindings } = await readSharedLists(schema.sharedLists, listsDir);
  listFindings.forEach(add);
  const resolved = withListValues(schema, sharedLists, add);
  unusedLists(schema, { handlers: reading.handlers, found: sharedLists }).forEach(add);
  const libraries = await findLibraries(schema, { file, allowlist, pins: options.libraries, add });
  const run = scan === 'report' || hasNoErrors(reading.scanned);
  const { handlers } = reading;
  // The lock file pins the schema as it is in the file.
  const pinned = { main: reading.main, schema: reading.schema ?? schema, handlers, sharedLists };
  const enforced = enforceLock(pinned, { ...options, grants, file });
  const { owner, source, lockFile } = options;
  const place = {
    file,
    group: () => hostGroup(sourceFolder(file, { source, lockFile }), { owner, grants: enforced.grants }),
    alone: options.isolation === 'schema',
  };
  const hosted = attachHandlers({ handlers, schema: resolved, place, libraries, sharedLists, run, add });
  const { bytes } = read;
  const attached =
    bytes && handlers?.kind === 'function' && run
      ? await attachTrusted({ schema: resolved, file, bytes, pin: options.pin, allowlist, sharedLists, add })
      : hosted;
  const { prompts, findings: promptFindings } = await readPromptFiles(schema.prompts, {
    schemaFile: file,
    namespace: schema.namespace,
    tools: schema.tools.keys(),
    resources: schema.resources.keys(),
    scan,
  });
  promptFindings.forEach(add);
  enforced.findings.forEach(add);
  foreignOrigins(reading.handlers, { root: schema.root, grants: enforced.grants, file }).forEach(add);
  const access = { schemaFile: file, approved: approveRoot, read: enforced.grants.read };
  const missing = await findMissingFiles(schema.resources.values(), access);
  const command = trustCommand({ files: [file], lockFile: options.lockFile });
  for (const { hint = '', ...finding } of missing) {
    add({ ...finding, hint: hint.replace('schemakit trust <file>', () => command) });
  }
  const all = [...findings, ...withPositions(more.toArray(), read.source, file)];
  const { handlerMap, rowsHooks, program } = attached;
  const main = cloneData(reading.main) as Record<string, unknown>;
  rememberPinnedParts(main, pinned);
  const { exports } = reading;
  const result = loaded({ findings: all, file, strict, main, handlerMap, sharedLists, prompts, exports });
  if (result.status) {
    const kept = { grants: enforced.grants, approveRoot, ...(lockFile !== undefined && { lockFile }) };
    const record = { schema: resolved, file, prompts, rowsHooks, handlerMap, ...kept };
    const { byteLength } = read.source;
    const original = reading.main as Record<string, unknown>;
    storeRecord(main, program ? { ...record, program } : record, { original, byteLength });
  }
  return result;
}

/** Adds lines to findings. These findings are rare, so the text is parsed again for them. */
function withPositions(findings: readonly Finding[], source: ModuleText, file: string): Finding[] {
  if (findings.length === 0) return [];
  const { locate } = analyzeModule(source, { file });
  return findings.map((finding) => ({ ...(finding.file === undefined && locate(finding.path)), ...finding }));
}

function allowlistOf({ allowlist = defaultAllowlist, libraries = {} }: LoadSchemaOptions): readonly string[] {
  return [...allowlist, ...Object.keys(libraries)];
}

async function findLibraries(
  schema: Schema,
  {
    file,
    allowlist,
    pins = {},
    add,
  }: Pick<Loading, 'file'> & {
    allowlist: readonly string[];
    pins: LoadSchemaOptions['libraries'];
    add: (finding: Finding) => void;
  },
): Promise<readonly HandlerLibrary[]> {
  checkAllowlist(schema.requiredLibraries, allowlist).forEach(add);
  const folders = [dirname(file), import.meta.dirname, process.cwd()];
  const found: HandlerLibrary[] = [];
  for (const name of new Set(schema.requiredLibraries)) {
    if (!isAllowed(name, allowlist)) continue;
    const location = await locateLibrary(name, folders);
    const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
    const path = `main.requiredLibraries[${schema.requiredLibraries.indexOf(name)}]`;
    const problem = pin && location && (await checkPin(location, pin, path));
    if (problem) add(problem);
    found.push(location ?? { name, entry: '', folders: [], missing: true });
    if (!location) add(notInstalled(name, { index: schema.requiredLibraries.indexOf(name), folders }));
  }
  return found;
}

function loaded({
  findings,
  file,
  strict,
  main = null,
  handlerMap = {},
  sharedLists = {},
  prompts = [],
  exports = [],
}: Partial<LoadedSchema> & { findings: readonly Finding[]; file: string; strict: boolean }): LoadedSchema {
  const all = limitFindings(findings).map((finding): Finding => {
    const severity = strict && finding.severity === 'warning' ? 'error' : finding.severity;
    return { ...finding, severity, file: finding.file ?? file };
  });
  // Without an error, `main` was read and fits its type.
  return { ...checkResult(all), main, handlerMap, sharedLists, prompts, exports: [...exports], file } as LoadedSchema;
}

/** Present in each folder that `schemakit import` created. */
const importMark = '_source.json';

/**
 * The source folder of a schema file; only handlers of one source share host processes. It is the imported folder that contains
 * the file, else `source`, such as a folder that was loaded as a whole, else the folder of the lock file, else that of the file.
 */
export function sourceFolder(
  file: string,
  { source, lockFile }: { source?: string | undefined; lockFile?: string | undefined },
): string {
  const folder = dirname(file);
  const lock = lockFile ?? findLockFile(folder);
  return importedFolder(folder) ?? source ?? (lock === undefined ? folder : dirname(resolve(lock)));
}

function importedFolder(folder: string): string | undefined {
  if (existsSync(join(folder, importMark))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : importedFolder(parent);
}

/** A key for programs that may share hosts: those of one source and one owner with the same grants. */
export function hostGroup(
  source: string,
  { owner = null, grants }: { owner?: string | null | undefined; grants: Grants },
): string {
  const { network = [], secrets = [] } = grants;
  const origins = network === 'any' ? network : [...network].sort();
  return hash('sha256', JSON.stringify([source, owner, origins, [...secrets].sort()]));
}
