import type { Finding } from '@schemakit/core';
import { analyzeModule } from '@schemakit/core/internal';
import { importFinding } from '../import-codes.ts';
import type { ImportResult } from '../import-openapi.ts';
import type { JsonObject } from '../read/read-document.ts';
import { carryCorrections } from './carry-corrections.ts';
import { compareTools, type ToolChange, toolsOf } from './compare-tools.ts';
import { type KeptEdit, mergeFile, type UpdateConflict } from './merge-file.ts';
import type { Preference } from './merge-regions.ts';
import { mainOf, removedTools, type Texts, unix } from './removed-tools.ts';

export interface UpdateOptions {
  /** What the last import wrote, by path. */
  base: Texts;
  /** The files as they are now, perhaps edited; paths that no longer exist are left out. */
  current: Texts;
  /** What `new --try` made of some of `base`, by path. Default: nothing. */
  tried?: Texts | undefined;
  /** The import of the new version. Import it with `previous`, so that tools keep their names and files. */
  next: ImportResult;
  /** Who is right where a person and the document changed the same lines. Default: neither, it is a conflict. */
  prefer?: Preference | undefined;
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
  /** The files of `next` with what was tried, where that makes a difference: `tried` of the next update. */
  tried: Record<string, string>;
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
export function updateImport({ base: imported, tried = {}, current, next, prefer }: UpdateOptions): UpdateResult {
  const nothing = { files: {}, changes: [], kept: [], conflicts: [], tried: {} };
  if (!next.status) return { ...report(next.findings), ...nothing };
  const base = { ...imported, ...tried };
  const fresh = carryCorrections({ base: imported, tried, next: next.files });
  const [before, after] = [base, fresh].map((files) => toolsOf(mainsOf(files)));
  const changes = compareTools(before ?? new Map(), after ?? new Map());
  if (before?.size && ![...before.keys()].some((name) => after?.has(name))) {
    return { ...report([otherDocument(before.size)]), ...nothing, changes };
  }
  const files: Record<string, string | null> = {};
  const findings: Finding[] = [];
  const kept: KeptEdit[] = [];
  const conflicts: UpdateConflict[] = [];
  const removed = removedTools(base, current);
  for (const path of new Set([...Object.keys(base), ...Object.keys(fresh)])) {
    const three = { path, base: base[path], current: unix(current[path]), next: fresh[path] };
    const isCorrected = fresh[path] !== next.files[path];
    const done = mergeFile(three, {
      isCorrected,
      removed,
      prefer,
      before: before ?? new Map(),
      after: after ?? new Map(),
    });
    findings.push(...done.findings);
    kept.push(...done.kept);
    conflicts.push(...done.conflicts);
    if (done.text === undefined || done.text === (three.current ?? null)) continue;
    files[path] =
      done.text !== null && current[path]?.includes('\r\n') ? done.text.replaceAll('\n', '\r\n') : done.text;
  }
  const all = [...findings, ...conflicts.map(conflictFinding)];
  const { status, messages } = report(all);
  const corrected = Object.entries(fresh).filter(([path, text]) => text !== next.files[path]);
  const more = { changes, kept, conflicts, tried: Object.fromEntries(corrected) };
  return { status, messages, findings: all, files: status ? files : {}, ...more };
}

function mainsOf(files: Texts): Map<string, JsonObject> {
  const modules = Object.entries(files).filter(([path]) => path.endsWith('.mjs'));
  return new Map(modules.map(([path, text]) => [path, mainOf(analyzeModule(text, { file: path }))]));
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
