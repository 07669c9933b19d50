import { dirname, resolve } from 'node:path';
import { checkArguments } from '../format/arguments.ts';
import { cloneData } from '../format/clone-data.ts';
import { resolveInputs, resolveMembers } from '../format/enum-members.ts';
import { childPath, type Finding, hasNoErrors } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { nearestWord } from '../format/nearest-word.ts';
import type { Prompt } from '../format/prompt.ts';
import type { Schema } from '../format/schema.ts';
import type { Tool } from '../format/tool.ts';
import { attachHandlers } from './attach-handlers.ts';
import {
  checkAllowlist,
  defaultAllowlist,
  isAllowed,
  type LibraryLocation,
  locateLibrary,
  notInstalled,
} from './libraries.ts';
import { readModuleFile } from './read-file.ts';
import { readMain, type SchemaReading } from './read-main.ts';
import { readModule } from './read-module.ts';
import { readPromptFiles } from './read-prompt-files.ts';
import { type Grants, type HandlerMap, keepRecord } from './schema-record.ts';
import { findListsDir, readSharedLists, type SharedLists } from './shared-lists.ts';

export interface LoadSchemaOptions {
  /** The schema's file. */
  filePath: string;
  /** Folder of the shared lists. Default: the nearest `_lists` beside the file or above it. */
  listsDir?: string;
  /** Libraries that handlers may use. Default: `SchemaKit.getDefaultAllowlist()`. */
  allowlist?: readonly string[];
  /** Turns warnings into errors. Default false. */
  strict?: boolean;
  /** `report` records what the security scan finds and loads all the same. Default `enforce`. */
  scan?: 'enforce' | 'report';
  /** What this schema may do beyond the rules. Default nothing. */
  grants?: Grants;
  /**
   * Whether naming the file approves the schema's root even if its host is private or loopback. Default true; false for
   * files that came from somewhere else.
   */
  approveRoot?: boolean;
}

/** A schema as `loadSchema` gives it (specification 2.12). */
export interface LoadedSchema {
  /** False if any finding is an error. */
  status: boolean;
  /** The findings as text. */
  messages: string[];
  findings: Finding[];
  /** `main` as the file gives it; null where it could not be read. */
  main: Record<string, unknown> | null;
  /** Tool name to hooks; empty when there are no handlers. The functions run in a host process. */
  handlerMap: HandlerMap;
  /** The entries of the shared lists that the schema references, filtered. */
  sharedLists: SharedLists;
  /** Skills and prompts with their texts. */
  prompts: readonly Prompt[];
  file: string;
}

/**
 * Loads a schema file (specification 4.4): scans it, reads and checks `main`, resolves shared lists and libraries, and
 * attaches its handlers. Nothing of the file runs in this process, and nothing is thrown: all that is wrong is in
 * `findings`, with code, place, line and what to do.
 */
export async function loadSchema(options: LoadSchemaOptions): Promise<LoadedSchema> {
  const { filePath, strict = false } = options ?? {};
  const problems = checkArguments('loadSchema', { filePath }, { filePath: 'text' });
  const { allowlist: allowed, listsDir: folder } = options ?? {};
  if (allowed !== undefined)
    problems.push(...checkArguments('loadSchema', { allowlist: allowed }, { allowlist: 'text array' }));
  if (folder !== undefined) problems.push(...checkArguments('loadSchema', { listsDir: folder }, { listsDir: 'text' }));
  if (options?.grants !== undefined)
    problems.push(...checkArguments('loadSchema', { grants: options.grants }, { grants: 'object' }));
  if (problems.length > 0) return loaded({ findings: problems, file: '', strict });
  const file = resolve(filePath);
  const read = readModuleFile(file);
  if (!read.ok) return loaded({ findings: [read.finding], file, strict });
  const { scan = 'enforce', allowlist = defaultAllowlist } = options;
  const reading = await readMain(read.bytes, { file, scan, allowlist });
  const scanned = scan === 'report' ? reading.scanned.map(asWarning) : reading.scanned;
  // The reading may have been made from another file of the same content.
  const findings = [...scanned, ...reading.findings].map((finding) => ({ ...finding, file }));
  if (reading.schema === undefined) return loaded({ findings, file, strict });
  const { schema } = reading;
  return finishLoading({ options, file, bytes: read.bytes, reading, schema, findings });
}

interface Loading {
  options: LoadSchemaOptions;
  file: string;
  bytes: Uint8Array;
  reading: SchemaReading;
  schema: Schema;
  findings: Finding[];
}

async function finishLoading({ options, file, bytes, reading, schema, findings }: Loading): Promise<LoadedSchema> {
  const { strict = false, scan = 'enforce', grants = {}, approveRoot = true, allowlist = defaultAllowlist } = options;
  const more: Finding[] = [];
  const add = (finding: Finding) => void more.push(finding);
  const listsDir = options.listsDir ?? (schema.sharedLists.length > 0 ? await findListsDir(file) : undefined);
  const { sharedLists, findings: listFindings } = await readSharedLists(schema.sharedLists, listsDir);
  listFindings.forEach(add);
  const resolved = withListValues(schema, sharedLists, add);
  const libraries = await findLibraries(schema, { file, allowlist, add });
  const run = scan === 'report' || hasNoErrors(reading.scanned);
  const attached = attachHandlers({
    handlers: reading.handlers,
    schema: resolved,
    file,
    libraries,
    sharedLists,
    run,
    add,
  });
  const { prompts, findings: promptFindings } = await readPromptFiles(schema.prompts, {
    schemaFile: file,
    namespace: schema.namespace,
    tools: schema.tools.keys(),
    resources: schema.resources.keys(),
    scan,
  });
  promptFindings.forEach(add);
  if (more.length > 0) findings.push(...withPlaces(more, bytes, file));
  const { handlerMap, rowsHooks, program } = attached;
  const main = cloneData(reading.main) as Record<string, unknown>;
  const result = loaded({ findings, file, strict, main, handlerMap, sharedLists, prompts });
  if (result.status) {
    keepRecord(main, {
      schema: resolved,
      file,
      prompts,
      rowsHooks,
      handlerMap,
      ...(program && { program }),
      grants,
      approveRoot,
    });
  }
  return result;
}

/** Adds lines. What other files and the handlers are missing is rare, so the text is parsed once more for it. */
function withPlaces(findings: readonly Finding[], bytes: Uint8Array, file: string): Finding[] {
  const { locate } = readModule(bytes, { file });
  return findings.map((finding) => (finding.file === undefined ? { ...finding, ...locate(finding.path) } : finding));
}

/** Puts the values of shared lists into the enums that name them. */
function withListValues(schema: Schema, lists: SharedLists, add: (finding: Finding) => void): Schema {
  const tools = new Map<string, Tool>();
  for (const [name, tool] of schema.tools) {
    for (const { name: input, z } of tool.inputs) {
      for (const { list, field } of resolveMembers(z.members ?? [], lists).missing) {
        reportMissingValues({ list, field, place: `enum of ${input} in ${name}` }, { schema, lists, tool: name, add });
      }
    }
    const inputs = resolveInputs(tool.inputs, lists);
    tools.set(name, { ...tool, inputs });
  }
  return { ...schema, tools };
}

function reportMissingValues(
  { list, field, place }: { list: string; field: string; place: string },
  { schema, lists, tool, add }: { schema: Schema; lists: SharedLists; tool: string; add: (finding: Finding) => void },
): void {
  const declared = schema.sharedLists.some(({ ref }) => ref === list);
  const entries = lists[list];
  // A declared list that was not found has its own finding.
  if (declared && entries === undefined) return;
  const known = entries ? Object.keys(Object(entries[0])) : schema.sharedLists.map(({ ref }) => ref);
  const meant = nearestWord(entries ? field : list, known);
  const problem = entries
    ? `shared list '${list}' has no values for ${field}`
    : `shared list '${list}' is not declared`;
  const advice = entries ? `Its fields are: ${known.join(', ')}.` : 'Declare it in main.sharedLists.';
  add(
    schemaFinding(
      entries ? 'VAL049' : 'VAL048',
      `${childPath('main.tools', tool)}.parameters`,
      `${problem} (${place})`,
      {
        hint: meant === undefined ? advice : `Did you mean ${meant}?`,
      },
    ),
  );
}

async function findLibraries(
  schema: Schema,
  { file, allowlist, add }: { file: string; allowlist: readonly string[]; add: (finding: Finding) => void },
): Promise<readonly LibraryLocation[]> {
  checkAllowlist(schema.requiredLibraries, allowlist).forEach(add);
  const folders = [dirname(file), import.meta.dirname, process.cwd()];
  const found: LibraryLocation[] = [];
  for (const [index, name] of schema.requiredLibraries.entries()) {
    const location = await locateLibrary(name, folders);
    if (location) found.push(location);
    else if (isAllowed(name, allowlist)) add(notInstalled(name, index));
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
}: Partial<LoadedSchema> & { findings: readonly Finding[]; file: string; strict: boolean }): LoadedSchema {
  const all = findings.map((finding): Finding => {
    const severity = strict && finding.severity === 'warning' ? 'error' : finding.severity;
    return { ...finding, severity, file: finding.file ?? file };
  });
  return {
    status: hasNoErrors(all),
    messages: all.map(({ message }) => message),
    findings: all,
    main,
    handlerMap,
    sharedLists,
    prompts,
    file,
  };
}

function asWarning(finding: Finding): Finding {
  return finding.severity === 'error' ? { ...finding, severity: 'warning' } : finding;
}
