import { dirname, resolve } from 'node:path';
import { holdToLock } from '../lock/check-lock.ts';
import { rememberPinnedParts } from '../lock/schema-pin.ts';
import type { ModuleText } from '../module/module-text.ts';
import { readModule } from '../module/read-module.ts';
import { findMissingFiles } from '../resources/locate-file.ts';
import { checkResult, type Finding, hasNoErrors, type Result } from '../schema/finding.ts';
import { createFindingList, limitFindings } from '../schema/finding-list.ts';
import type { SchemaMain } from '../schema/format/format-types.generated.ts';
import { cloneData } from '../schema/json.ts';
import type { Prompt } from '../schema/prompts/prompt.ts';
import type { Schema, SharedLists } from '../schema/schema.ts';
import { attachHandlers, attachTrusted } from './attach-handlers.ts';
import { foreignOrigins } from './foreign-origins.ts';
import {
  checkAllowlist,
  defaultAllowlist,
  isAllowed,
  type LibraryLocation,
  locateLibrary,
  notInstalled,
} from './libraries.ts';
import { unusedLists, withListValues } from './lists/list-values.ts';
import { findListsDir, readSharedLists } from './lists/shared-lists.ts';
import { type FileReading, readModuleFile } from './read-file.ts';
import { type LoadSchemaOptions, readLoadOptions } from './read-load-options.ts';
import { readMain, type SchemaReading } from './read-main.ts';
import { asWarning, readPromptFiles } from './read-prompt-files.ts';
import { type HandlerMap, keepRecord } from './schema-record.ts';
import { hostGroup, sourceFolder } from './source-folder.ts';

/** A schema as `loadSchema` gives it. `main` is as the file has it, and null where it could not be read. */
export type LoadedSchema = Result<
  LoadedParts & { main: SchemaMain },
  LoadedParts & { main: Record<string, unknown> | null }
>;

interface LoadedParts {
  /** Tool name to hooks; empty when there are no handlers. The functions run in the sandbox. */
  handlerMap: HandlerMap;
  /** The entries of the shared lists that the schema references, filtered. */
  sharedLists: SharedLists;
  /** Skills and prompts with their texts. */
  prompts: readonly Prompt[];
  /** Names that the file exports, in its order. */
  exports: readonly string[];
  file: string;
}

/**
 * Loads a schema file (specification 4.4): scans it, reads and checks `main`, resolves shared lists and libraries, and
 * attaches its handlers. Nothing of the file runs in this process, and nothing is thrown: all that is wrong is in
 * `findings`, with code, place, line and what to do.
 */
export async function loadSchema(given: LoadSchemaOptions): Promise<LoadedSchema> {
  const { options, problems } = readLoadOptions(given);
  const { filePath, strict = false } = options;
  if (!hasNoErrors(problems)) return loaded({ findings: problems, file: '', strict });
  const file = resolve(filePath);
  const read = readModuleFile(file, { keepsBytes: options.isolation === 'trusted' });
  if (!read.ok) return loaded({ findings: [read.finding], file, strict });
  const { scan = 'enforce', allowlist = defaultAllowlist } = options;
  const reading = await readMain(read.source, { file, scan, allowlist });
  const scanned = scan === 'report' ? reading.scanned.map(asWarning) : reading.scanned;
  // The reading may have been made from another file of the same content.
  const findings = [...problems, ...scanned, ...reading.findings].map((finding) => ({ ...finding, file }));
  const { schema, exports } = reading;
  if (schema === undefined) return loaded({ findings, file, strict, exports });
  return finishLoading({ options, file, read, reading, schema, findings });
}

interface Loading {
  options: LoadSchemaOptions;
  file: string;
  read: Extract<FileReading, { ok: true }>;
  reading: SchemaReading;
  schema: Schema;
  findings: Finding[];
}

async function finishLoading({ options, file, read, reading, schema, findings }: Loading): Promise<LoadedSchema> {
  const { strict = false, scan = 'enforce', grants = {}, approveRoot = true, allowlist = defaultAllowlist } = options;
  const more = createFindingList();
  const { add } = more;
  const listsDir = options.listsDir ?? (schema.sharedLists.length > 0 ? findListsDir(file) : undefined);
  const { sharedLists, findings: listFindings } = await readSharedLists(schema.sharedLists, listsDir);
  listFindings.forEach(add);
  const resolved = withListValues(schema, sharedLists, add);
  unusedLists(schema, { handlers: reading.handlers, found: sharedLists }).forEach(add);
  const libraries = await findLibraries(schema, { file, allowlist, add });
  const run = scan === 'report' || hasNoErrors(reading.scanned);
  const { handlers } = reading;
  const pinned = { main: reading.main, schema, handlers, sharedLists };
  const held = holdToLock(pinned, { ...options, grants, file });
  const { owner, source, lockFile } = options;
  const place = {
    file,
    group: () => hostGroup(sourceFolder(file, { source, lockFile }), { owner, grants: held.grants }),
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
  held.findings.forEach(add);
  foreignOrigins(reading.handlers, { root: schema.root, grants: held.grants, file }).forEach(add);
  const missing = await findMissingFiles(schema.resources.values(), { schemaFile: file, approved: approveRoot });
  missing.forEach(add);
  const all = [...findings, ...withPlaces(more.toArray(), read.source, file)];
  const { handlerMap, rowsHooks, program } = attached;
  const main = cloneData(reading.main) as Record<string, unknown>;
  rememberPinnedParts(main, pinned);
  const { exports } = reading;
  const result = loaded({ findings: all, file, strict, main, handlerMap, sharedLists, prompts, exports });
  if (result.status) {
    const record = { schema: resolved, file, prompts, rowsHooks, handlerMap, grants: held.grants, approveRoot };
    keepRecord(main, program ? { ...record, program } : record, reading.main as Record<string, unknown>);
  }
  return result;
}

/** Copies of findings, with lines. What other files and the handlers are missing is rare, so the text is parsed once more for it. */
function withPlaces(findings: readonly Finding[], source: ModuleText, file: string): Finding[] {
  if (findings.length === 0) return [];
  const { locate } = readModule(source, { file });
  return findings.map((finding) => ({ ...(finding.file === undefined && locate(finding.path)), ...finding }));
}

async function findLibraries(
  schema: Schema,
  { file, allowlist, add }: { file: string; allowlist: readonly string[]; add: (finding: Finding) => void },
): Promise<readonly LibraryLocation[]> {
  checkAllowlist(schema.requiredLibraries, allowlist).forEach(add);
  const folders = [dirname(file), import.meta.dirname, process.cwd()];
  const found: LibraryLocation[] = [];
  for (const name of new Set(schema.requiredLibraries)) {
    if (!isAllowed(name, allowlist)) continue;
    const location = await locateLibrary(name, folders);
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
    const isComplete = finding.file === file && finding.severity === severity;
    return isComplete ? finding : { ...finding, severity, file: finding.file ?? file };
  });
  // Without an error, `main` was read and fits its type.
  return { ...checkResult(all), main, handlerMap, sharedLists, prompts, exports: [...exports], file } as LoadedSchema;
}
