import type { Finding } from '@schemakit/core';
import { groupOf } from '../../groups/groups.ts';
import { danglingReference, namesTool } from '../../groups/list-group.ts';
import type { LoadReferencedOptions } from '../../groups/load-group.ts';
import { type GroupReference, readGroupReference } from '../../groups/references.ts';
import { type SchemaRoot, schemaRoots } from '../../groups/schema-roots.ts';
import { scanFolders } from '../../index/scan-folders.ts';
import { readSettings, type Settings } from '../../settings/read-settings.ts';
import { endsCommands } from '../../settings/settings-codes.ts';
import { importedFrom, nearestLockFile } from '../../sources/lock-files.ts';
import { lockState, type ServingSource, type SourceLook } from './serving-source.ts';

interface GroupsSourceOptions extends LoadReferencedOptions {
  named: readonly string[];
  /** Whether URLs may select other groups when none is named. */
  withOthers: boolean;
}

/** Serves groups of the settings, which are read again at each reload. The library is imported when a schema is loaded. */
export function groupsSource(
  settings: Settings,
  { named, withOthers, lock, isolation = 'process', environment }: GroupsSourceOptions,
): { ok: true; source: ServingSource } | { ok: false; findings: readonly Finding[] } {
  const hasOthers = withOthers && named.length === 0;
  const chosen = chooseGroups(settings, { named, hasOthers });
  if (!chosen.ok) return chosen;
  let { groups } = chosen;
  const { config, groups: groupFiles } = settings.paths.project;
  const lockFile = lock ?? nearestLockFile();
  const [only] = groups.chosen.length === 1 ? groups.chosen : [];
  const source: ServingSource = {
    subject: only === undefined ? `The groups ${groups.chosen.join(', ')}` : `The group ${only}`,
    name: only === undefined ? 'schemakit' : `schemakit-${only}`,
    key: JSON.stringify(['groups', settings.paths.project.root, [...groups.references], lockFile ?? null, isolation]),
    get paths() {
      const folders = groups.roots.map(({ folder }) => folder);
      const { accepted } = settings.paths.home;
      return [...folders, config, groupFiles, ...(lockFile === undefined ? [] : [lockFile, accepted])];
    },
    isCached: true,
    defaults: hasOthers
      ? {
          get groups() {
            return groups.chosen;
          },
        }
      : {},
    look() {
      const now = readSettings();
      const wrong = now.findings.filter(endsCommands);
      const again = chooseGroups(now, { named, hasOthers });
      const refused = [...wrong, ...(again.ok ? [] : again.findings)];
      if (again.ok && refused.length === 0) groups = again.groups;
      return { ...lookAt(groups, now, lockFile), refused };
    },
    async load(files) {
      const { loadReferencedWithLock } = await import('../../groups/load-group.ts');
      const referenced = files.map(({ path, place, approved }) => ({ reference: place, file: path, approved }));
      return loadReferencedWithLock(referenced, { lock, isolation, environment });
    },
  };
  return { ok: true, source };
}

/** Groups, as they were when the settings were read. */
interface ChosenGroups {
  chosen: readonly string[];
  references: ReadonlyMap<string, readonly string[]>;
  roots: readonly SchemaRoot[];
}

function chooseGroups(
  settings: Settings,
  { named, hasOthers }: { named: readonly string[]; hasOthers: boolean },
): { ok: true; groups: ChosenGroups } | { ok: false; findings: readonly Finding[] } {
  const found = (named.length === 0 ? [undefined] : named).map((name) => groupOf(settings, name));
  const findings = found.flatMap((entry) => (entry.ok ? [] : entry.finding));
  if (findings.length > 0) return { ok: false, findings };
  const chosen = found.flatMap((entry) => (entry.ok ? entry.name : []));
  const names = hasOthers ? [...settings.groups.keys()] : chosen;
  const references = new Map(names.map((name) => [name, settings.groups.get(name)?.tools ?? []]));
  const sources = new Set([...references.values()].flat().map((text) => text.split('/', 1)[0]));
  const roots = schemaRoots(settings).filter(({ source }) => sources.has(source));
  return { ok: true, groups: { chosen, references, roots } };
}

/** Scans the files of groups, in the order of the references. Other files in their folders may be dependencies. */
function lookAt({ references, roots }: ChosenGroups, settings: Settings, lockFile: string | undefined): SourceLook {
  const texts = [...new Set([...references.values()].flat())];
  const meant = texts.map((text) => ({ text, reference: readGroupReference(text) }));
  const order = [...new Set(meant.flatMap(({ reference }) => reference?.file ?? []))];
  const positions = new Map(order.map((place, position) => [place, position]));
  const scan = scanFolders(roots);
  const files = scan.files
    .map((file) => ({ ...file, mayBeSchema: file.mayBeSchema && positions.has(file.place) }))
    .sort((left, right) => (positions.get(left.place) ?? order.length) - (positions.get(right.place) ?? order.length));
  const found = new Set(files.map(({ place }) => place));
  const parts = (own: readonly string[]) => {
    const wanted = own.flatMap((text) => readGroupReference(text) ?? []);
    return (entry: Parameters<SourceLook['serves']>[0]) => wanted.some((reference) => isMeant(reference, entry));
  };
  return {
    scan: { ...scan, files },
    state: lockState([
      lockFile,
      settings.paths.home.accepted,
      ...roots.map(({ folder }) => importedFrom(folder)?.lockFile),
    ]),
    refused: [],
    serves: parts(texts),
    groups: new Map([...references].map(([name, own]) => [name, parts(own)])),
    lostAmong(entries, prompts) {
      const served = [
        ...entries.map(({ file, ...entry }) => ({ ...entry, place: file.place })),
        ...prompts.map(({ type, name, path }) => ({ type, part: name, toolName: name, place: placeOf(path, files) })),
      ];
      const loaded = new Set(served.map(({ place }) => place));
      const lost = meant.filter(({ reference }) => {
        if (reference === undefined || !found.has(reference.file)) return true;
        // A schema that did not load has findings of its own.
        if (reference.part === undefined || !loaded.has(reference.file)) return false;
        return !served.some((entry) => isMeant(reference, entry));
      });
      return lost.map(({ text }) => danglingReference(text, settings));
    },
  };
}

function placeOf(path: string, files: readonly { path: string; place: string }[]): string {
  return files.find((file) => file.path === path)?.place ?? '';
}

function isMeant(reference: GroupReference, { place, ...entry }: Parameters<SourceLook['serves']>[0]): boolean {
  return namesTool(reference, { ...entry, file: place });
}
