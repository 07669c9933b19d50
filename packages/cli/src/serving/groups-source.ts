import type { Finding } from '@schemakit/core';
import { readSettings, type Settings } from '../settings/read-settings.ts';
import { groupOf } from '../tools/group-of.ts';
import type { ReferencedOptions } from '../tools/load-referenced.ts';
import { referenceOf, type SchemaRoot, schemaRoots } from '../tools/schema-roots.ts';
import type { FoundTool } from '../tools/tools-of.ts';
import { nearestLockFile } from './nearest-lock-file.ts';
import type { LoadedServing, ServingSource } from './serving-source.ts';

export interface GroupsSourceOptions extends ReferencedOptions {
  /** Names of groups; none for the default group. */
  named: readonly string[];
  /** Whether a URL may ask for the other groups where none is named. */
  withOthers: boolean;
  serverParams: Readonly<Record<string, string>>;
}

export type OpenedGroups = { ok: true; source: ServingSource } | { ok: false; findings: readonly Finding[] };

/** Serves groups of the settings, which are read anew whenever their schemas are. The library is loaded when a schema is. */
export function groupsSource(
  settings: Settings,
  { named, withOthers, lock, isolation, serverParams }: GroupsSourceOptions,
): OpenedGroups {
  const hasOthers = withOthers && named.length === 0;
  const chosen = chooseGroups(settings, { named, hasOthers });
  if (!chosen.ok) return chosen;
  let { groups } = chosen;
  const { config, groups: groupFiles } = settings.places.project;
  const lockFile = lock ?? nearestLockFile();
  const [only] = groups.chosen.length === 1 ? groups.chosen : [];
  const source: ServingSource = {
    subject: only === undefined ? `The groups ${groups.chosen.join(', ')}` : `The group ${only}`,
    name: only === undefined ? 'schemakit' : `schemakit-${only}`,
    key: JSON.stringify(['groups', settings.places.project.root, [...groups.references], lockFile ?? null, isolation]),
    get places() {
      return [...groups.folders, config, groupFiles, ...(lockFile === undefined ? [] : [lockFile])];
    },
    isKept: true,
    defaults: hasOthers
      ? {
          get groups() {
            return groups.chosen;
          },
        }
      : {},
    async load(settle): Promise<LoadedServing> {
      const settingsNow = readSettings();
      const wrong = settingsNow.findings.filter(({ severity }) => severity === 'error');
      const now = chooseGroups(settingsNow, { named, hasOthers });
      if (wrong.length > 0 || !now.ok) return notLoaded([...wrong, ...(now.ok ? [] : now.findings)]);
      const { loadGroup } = await import('../tools/load-group.ts');
      const loaded = await loadGroup({ tools: now.groups.all }, settingsNow, { lock, isolation, serverParams, settle });
      const membership = [...now.groups.references].map(
        ([name, texts]) => [name, membersOf(texts, loaded.tools)] as const,
      );
      groups = now.groups;
      return {
        tools: loaded.tools.map(({ exposed }) => exposed),
        prompts: loaded.prompts,
        groups: new Map(membership),
        findings: loaded.findings,
        refused: loaded.refused,
      };
    },
    async loadFile(file): Promise<LoadedServing> {
      const { exposeSchemaPrompts } = await import('@schemakit/core');
      const { loadReferencedWithLock } = await import('../tools/load-referenced.ts');
      const { toolsOf } = await import('../tools/tools-of.ts');
      const referenced = referenceOf(groups.roots, file);
      const part = referenced === undefined ? [] : [referenced];
      const { schemas, findings, refused } = await loadReferencedWithLock(part, { lock, isolation });
      const tools = toolsOf(schemas, part, { serverParams }).map(({ exposed }) => exposed);
      return { tools, prompts: exposeSchemaPrompts(schemas), groups: new Map(), findings, refused };
    },
  };
  return { ok: true, source };
}

/** The groups as the settings have them at one time. */
interface ChosenGroups {
  /** Those that were named, or the default one. */
  chosen: readonly string[];
  /** What each group that is served refers to. */
  references: ReadonlyMap<string, readonly string[]>;
  /** All references, each once. */
  all: readonly string[];
  roots: readonly SchemaRoot[];
  /** Of the roots, those that are referred to. */
  folders: readonly string[];
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
  const all = [...new Set([...references.values()].flat())];
  const roots = schemaRoots(settings);
  const sources = new Set(all.map((text) => text.split('/', 1)[0]));
  const folders = roots.filter(({ source }) => sources.has(source)).map(({ folder }) => folder);
  return { ok: true, groups: { chosen, references, all, roots, folders } };
}

function notLoaded(refused: readonly Finding[]): LoadedServing {
  return { tools: [], prompts: [], groups: new Map(), findings: [], refused };
}

/** The MCP names of the tools that the references of a group name: whole files, or parts of them. */
function membersOf(references: readonly string[], tools: readonly FoundTool[]): Set<string> {
  const named = new Set(references);
  const members = tools.filter(({ file, reference }) => named.has(file) || named.has(reference));
  return new Set(members.map(({ exposed }) => exposed.listing.name));
}
