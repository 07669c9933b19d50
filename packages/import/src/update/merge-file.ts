import { type Finding, SchemaKit } from '@schemakit/core';
import { analyzeModule, isObject } from '@schemakit/core/internal';
import { importFinding } from '../import-codes.ts';
import type { ComparedTool } from './compare-tools.ts';
import { type MergeConflict, mergeLines, mergeRegions, type Preference } from './merge-regions.ts';
import { type Region, splitRegions } from './regions.ts';
import { mainOf, renamedTools } from './removed-tools.ts';

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

export interface FileUpdate {
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
  /** Whether the new file has corrections, and perhaps constants that they replaced: merging drops those. */
  isCorrected: boolean;
  removed: ReadonlySet<string>;
  prefer: Preference | undefined;
  before: ReadonlyMap<string, ComparedTool>;
  after: ReadonlyMap<string, ComparedTool>;
}

/** Merges a file. What both versions of the document have is left as it is. */
export function mergeFile(three: ThreeTexts, tools: Tools): FileUpdate {
  const { path, base, current, next } = three;
  const nothing = { findings: [], kept: [], conflicts: [] };
  if (current === undefined && base !== undefined) {
    return next === undefined ? nothing : { ...nothing, kept: [{ path, part: '', kind: 'removed' }] };
  }
  if (current === next || base === next) return nothing;
  if (current === base && tools.removed.size === 0 && !tools.isCorrected) return { ...nothing, text: next ?? null };
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
  const tools = fresh.filter(({ key }) => key.startsWith('tool '));
  if (current === '' && tools.every(({ key }) => removed.has(key))) return { findings: [], kept: [], conflicts: [] };
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
  const merged = mergeRegions({
    base: own.map(toName),
    current: mine,
    next: fresh.map(toName),
    isUnchanged: (key) => isSame(key, { before, after, renamed }),
    isRemoved: (key) => removed.has(key),
    isUsed: (key) => Object.hasOwn(analysis.handlers?.names ?? {}, key.slice('tool '.length)),
    prefer,
  });
  return {
    text: merged.text,
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
