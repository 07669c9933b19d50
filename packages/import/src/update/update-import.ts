import { type Finding, SchemaKit } from '@schemakit/core';
import { analyzeModule, isObject, type ModuleAnalysis } from '@schemakit/core/internal';
import { importFinding } from '../import-codes.ts';
import type { ImportResult } from '../import-openapi.ts';
import type { JsonObject } from '../read/read-document.ts';
import { type ComparedTool, compareTools, type ToolChange, toolsOf } from './compare-tools.ts';
import { type Merge, type MergeConflict, mergeLines, mergeRegions, type Preference } from './merge-regions.ts';
import { type Region, splitRegions } from './regions.ts';

type Texts = Readonly<Record<string, string>>;

export interface UpdateOptions {
  /** What the last import wrote, by path. */
  base: Texts;
  /** The files as they are now, perhaps edited; paths that no longer exist are left out. */
  current: Texts;
  /** The import of the new version. Import it with `previous`, so that tools keep their names and files. */
  next: ImportResult;
  /** Who is right where a person and the document changed the same lines. Default: neither, it is a conflict. */
  prefer?: Preference | undefined;
}

/** A place that a person and the document both changed. */
export interface UpdateConflict extends Omit<MergeConflict, 'key'> {
  /** Path of the file. */
  path: string;
  /** `tool listPets`, `main.root`, `const limit`. */
  part: string;
}

/** What a person did, and stays. */
export interface KeptEdit {
  path: string;
  /** As in conflicts; empty for the whole file. */
  part: string;
  kind: 'edited' | 'added' | 'removed' | 'renamed';
  /** The new name of a renamed tool. */
  to?: string;
}

export interface UpdateResult {
  /** False if there are conflicts or any other error. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** The files that change: their new texts, and null for those that go. Empty if `status` is false. */
  files: Record<string, string | null>;
  /** What the new version means for each tool. */
  changes: ToolChange[];
  kept: KeptEdit[];
  conflicts: UpdateConflict[];
}

/**
 * Merges a new import of a document into files that may have been edited since the last one. Statements, fields of `main` and tools are
 * merged by themselves, and each by lines. What a person removed stays removed. Reads and writes nothing, and never throws: findings are
 * `IMP027` to `IMP029` (docs/errors.md).
 *
 * @example
 * const pets = (summary) => ({
 *   openapi: '3.1.0',
 *   info: { title: 'Pets', version: '1' },
 *   servers: [{ url: 'https://pets.example.com' }],
 *   paths: { '/pets': { get: { operationId: 'listPets', tags: ['pets'], summary } } },
 * });
 * const { files: base, tools: previous } = importOpenApi(pets('List pets.'));
 * const next = importOpenApi(pets('List all pets.'), { previous });
 * const { changes } = updateImport({ base, current: base, next });
 * console.log(changes[0]?.tool, changes[0]?.breaking); // pets__listPets false
 */
export function updateImport({ base, current, next, prefer }: UpdateOptions): UpdateResult {
  if (!next.status) return { ...report(next.findings), files: {}, changes: [], kept: [], conflicts: [] };
  const [before, after] = [base, next.files].map((files) => toolsOf(mainsOf(files)));
  const changes = compareTools(before ?? new Map(), after ?? new Map());
  if (before?.size && ![...before.keys()].some((name) => after?.has(name))) {
    return { ...report([otherDocument(before.size)]), files: {}, changes, kept: [], conflicts: [] };
  }
  const files: Record<string, string | null> = {};
  const findings: Finding[] = [];
  const kept: KeptEdit[] = [];
  const conflicts: UpdateConflict[] = [];
  const removed = removedTools(base, current);
  for (const path of new Set([...Object.keys(base), ...Object.keys(next.files)])) {
    const three = { path, base: base[path], current: unix(current[path]), next: next.files[path] };
    const done = updateFile(three, { removed, prefer, before: before ?? new Map(), after: after ?? new Map() });
    findings.push(...done.findings);
    kept.push(...done.kept);
    conflicts.push(...done.conflicts);
    if (done.text === undefined || done.text === (three.current ?? null)) continue;
    files[path] =
      done.text !== null && current[path]?.includes('\r\n') ? done.text.replaceAll('\n', '\r\n') : done.text;
  }
  const all = [...findings, ...conflicts.map(conflictFinding)];
  const { status, messages } = report(all);
  return { status, messages, findings: all, files: status ? files : {}, changes, kept, conflicts };
}

interface FileUpdate {
  /** Null if the file goes; undefined if it stays as it is. */
  text?: string | null | undefined;
  findings: Finding[];
  kept: KeptEdit[];
  conflicts: UpdateConflict[];
}

interface ThreeTexts {
  path: string;
  base: string | undefined;
  current: string | undefined;
  next: string | undefined;
}

interface Tools {
  removed: ReadonlySet<string>;
  prefer: Preference | undefined;
  before: ReadonlyMap<string, ComparedTool>;
  after: ReadonlyMap<string, ComparedTool>;
}

function updateFile(three: ThreeTexts, tools: Tools): FileUpdate {
  const { path, base, current, next } = three;
  const nothing = { findings: [], kept: [], conflicts: [] };
  if (current === undefined && base !== undefined) {
    return next === undefined ? nothing : { ...nothing, kept: [{ path, part: '', kind: 'removed' }] };
  }
  if (current === next || base === next) return nothing;
  if (current === base && tools.removed.size === 0) return { ...nothing, text: next ?? null };
  if (!path.endsWith('.mjs')) return mergeNotes(three, tools.prefer);
  const isEdited = current !== base;
  if (next === undefined || (base === undefined && current !== undefined)) {
    if (!isEdited) return { ...nothing, text: null };
    if (tools.prefer !== undefined) return tools.prefer === 'file' ? nothing : { ...nothing, text: next ?? null };
    const conflict = { path, part: 'the file', line: 1, file: firstLines(current), document: firstLines(next) };
    return { ...nothing, conflicts: [conflict] };
  }
  return mergeModule({ path, base, current, next }, tools);
}

/** The page of notes is only merged by lines. */
function mergeNotes({ path, base = '', current = '', next = '' }: ThreeTexts, prefer?: Preference): FileUpdate {
  const conflicts: MergeConflict[] = [];
  const three = { base: { text: base }, current: { text: current, line: 1 }, next: { text: next } };
  const text = mergeLines('the page', three, prefer, conflicts);
  return {
    text: text === '' ? null : text,
    findings: [],
    kept: current === base ? [] : [{ path, part: '', kind: 'edited' }],
    conflicts: conflicts.map(({ key: part, ...place }) => ({ path, part, ...place })),
  };
}

function mergeModule(
  { path, base = '', current = '', next }: ThreeTexts & { next: string },
  { removed, prefer, before, after }: Tools,
): FileUpdate {
  const split = [base, current, next].map(splitRegions);
  const problems = split.flatMap((one) => (one.ok ? [] : [one]));
  const [own, mine, fresh] = split.flatMap((one) => (one.ok ? [one.regions] : []));
  if (own === undefined || mine === undefined || fresh === undefined) {
    const findings = problems.map(({ message, line, column }) => unreadableFile(path, message, { line, column }));
    return { findings, kept: [], conflicts: [] };
  }
  if (base !== '' && current !== '' && !mine.some(({ key }) => key === 'tools {')) {
    const message = '`main` and its `tools` are not written as objects';
    return { findings: [unreadableFile(path, message, { line: 1, column: 1 })], kept: [], conflicts: [] };
  }
  const analysis = analyzeModule(current, { file: path });
  const renamed = renamedTools(
    { base: own, current: mine },
    mainOf(analyzeModule(base, { file: path })),
    mainOf(analysis),
  );
  const toName = (region: Region): Region => ({ ...region, key: renamed.get(region.key) ?? region.key });
  const merged: Merge = mergeRegions({
    base: own.map(toName),
    current: mine,
    next: fresh.map(toName),
    isUnchanged: (key) => isSame(key, { before, after, renamed }),
    isRemoved: (key) => removed.has(key),
    isUsed: (key) => Object.hasOwn(analysis.handlers?.names ?? {}, key.slice('tool '.length)),
    prefer,
  });
  const isEmpty = current === '' && !merged.text.includes('method:');
  return {
    text: isEmpty ? undefined : merged.text,
    findings: merged.conflicts.length > 0 ? [] : checkMerged(path, merged.text),
    kept: keptEdits({ path, base: own, current: mine, next: fresh, renamed }),
    conflicts: merged.conflicts.map(({ key: part, ...place }) => ({ path, part, ...place })),
  };
}

/** Whether the values of a tool are the same in both versions of the document. */
function isSame(
  key: string,
  { before, after, renamed }: Pick<Tools, 'before' | 'after'> & { renamed: ReadonlyMap<string, string> },
): boolean {
  const [original] = [...renamed].find(([, to]) => to === key) ?? [key];
  const name = [...before.keys()].find((tool) => `tool ${shortName(tool)}` === original);
  const [old, now] = [before.get(name ?? ''), after.get(name ?? '')];
  return old !== undefined && now !== undefined && JSON.stringify(old.tool) === JSON.stringify(now.tool);
}

/** Tools with another name in the file, and the method and path that they had. */
function renamedTools(
  { base, current }: { base: readonly Region[]; current: readonly Region[] },
  before: JsonObject,
  after: JsonObject,
): Map<string, string> {
  const [had, has] = [base, current].map((regions) => new Set(regions.map(({ key }) => key)));
  const [old, now] = [before, after].map(({ tools }) => (isObject(tools) ? tools : {}));
  const requestIn = (tools: JsonObject, key: string) => {
    const tool = tools[key.slice('tool '.length)];
    return isObject(tool) ? `${tool.method} ${tool.path}` : undefined;
  };
  const fresh = [...(has ?? [])].filter((key) => key.startsWith('tool ') && !had?.has(key));
  return new Map(
    [...(had ?? [])].flatMap((key): [string, string][] => {
      if (!key.startsWith('tool ') || has?.has(key)) return [];
      const request = requestIn(old ?? {}, key);
      const same = fresh.filter((other) => request !== undefined && requestIn(now ?? {}, other) === request);
      const [to] = same;
      return to !== undefined && same.length === 1 ? [[key, to]] : [];
    }),
  );
}

/** Tools that no file has any more, not even under another name. */
function removedTools(base: Texts, current: Texts): Set<string> {
  const gone = new Set<string>();
  const present = new Set<string>();
  for (const [path, text] of Object.entries(base)) {
    if (!path.endsWith('.mjs')) continue;
    const [own, mine] = [text, unix(current[path]) ?? ''].map(splitRegions);
    if (!own?.ok || !mine?.ok) continue;
    const keys = new Set(mine.regions.map(({ key }) => key));
    for (const key of keys) present.add(key);
    const [old, now] = [text, current[path] ?? ''].map((one) => mainOf(analyzeModule(one, { file: path })));
    const renamed = renamedTools({ base: own.regions, current: mine.regions }, old ?? {}, now ?? {});
    for (const { key } of own.regions) {
      if (key.startsWith('tool ') && !keys.has(key) && !renamed.has(key)) gone.add(key);
    }
  }
  return new Set([...gone].filter((key) => !present.has(key)));
}

function keptEdits({
  path,
  base,
  current,
  next,
  renamed,
}: {
  path: string;
  base: readonly Region[];
  current: readonly Region[];
  next: readonly Region[];
  renamed: ReadonlyMap<string, string>;
}): KeptEdit[] {
  const [had, has, gets] = [base, current, next].map((regions) => new Map(regions.map((one) => [one.key, one.code])));
  const names = new Set(renamed.values());
  const isPart = (key: string) => !/ [{]$|^[}] |^end$/.test(key);
  return [
    ...[...renamed].map(([part, to]): KeptEdit => ({ path, part, kind: 'renamed', to: to.slice('tool '.length) })),
    ...base.flatMap(({ key: part }): KeptEdit[] => {
      const isGone = isPart(part) && !part.startsWith('const ') && !has?.has(part) && !renamed.has(part);
      return isGone && gets?.has(part) ? [{ path, part, kind: 'removed' }] : [];
    }),
    ...current.flatMap(({ key: part, code }): KeptEdit[] => {
      if (!isPart(part) || names.has(part) || had?.get(part) === code || gets?.get(part) === code) return [];
      return [{ path, part, kind: had?.has(part) ? 'edited' : 'added' }];
    }),
  ];
}

/** Every file that is written loads. */
function checkMerged(path: string, text: string): Finding[] {
  const analysis = analyzeModule(text, { file: path });
  const syntax = analysis.findings.filter(({ code }) => code.startsWith('MOD'));
  const main = analysis.read('main');
  const rules =
    main.status === 'read' && isObject(main.value) ? SchemaKit.validateMain({ main: main.value }).findings : [];
  return [...syntax, ...rules]
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message, path: place }) =>
      unreadableFile(path, `after the update, ${code}: ${message}`, analysis.locate(place)),
    );
}

function mainsOf(files: Texts): Map<string, JsonObject> {
  const modules = Object.entries(files).filter(([path]) => path.endsWith('.mjs'));
  return new Map(modules.map(([path, text]) => [path, mainOf(analyzeModule(text, { file: path }))]));
}

function mainOf(analysis: ModuleAnalysis): JsonObject {
  const main = analysis.read('main');
  return main.status === 'read' && isObject(main.value) ? main.value : {};
}

function unix(text: string | undefined): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}

function shortName(tool: string): string {
  return tool.slice(tool.indexOf('__') + 2);
}

function firstLines(text = ''): string {
  return text.split('\n', 3).join('\n');
}

function unreadableFile(
  path: string,
  problem: string,
  place: { line?: number | undefined; column?: number | undefined } = {},
): Finding {
  const hint = 'Correct the file, or restore it, and update again.';
  const { line, column } = place;
  const finding = importFinding('IMP028', `${path}: ${problem}`, { hint });
  return { ...finding, file: path, ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
}

function conflictFinding({ path, part, line, file, document }: UpdateConflict): Finding {
  const what = document === '' ? 'the document no longer has it' : 'the document changed the same lines';
  const done = file === '' ? 'removed' : 'changed';
  const hint = 'Make the file what both want and update again, or use --prefer document or --prefer file.';
  return { ...importFinding('IMP027', `${part} was ${done} in the file, and ${what}`, { hint }), file: path, line };
}

function otherDocument(count: number): Finding {
  const message = `the document has none of the ${count} tools`;
  const hint = 'Import another API into a folder of its own with `schemakit new`.';
  return importFinding('IMP029', message, { hint });
}

function report(findings: readonly Finding[]): Pick<UpdateResult, 'status' | 'messages' | 'findings'> {
  const status = findings.every(({ severity }) => severity !== 'error');
  return { status, messages: findings.map(({ code, message }) => `${code} ${message}`), findings: [...findings] };
}
