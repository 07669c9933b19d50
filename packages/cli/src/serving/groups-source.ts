import type { Settings } from '../settings/read-settings.ts';
import { referenceOf, schemaRoots } from '../tools/schema-roots.ts';
import type { FoundTool } from '../tools/tools-of.ts';
import { nearestLockFile } from './nearest-lock-file.ts';
import type { LoadedServing, ServingSource } from './serving-source.ts';

export interface GroupsSourceOptions {
  /** Names of groups that there are. */
  names: readonly string[];
  /** The groups that a URL means that names none; all of them where there is none. */
  defaults?: readonly string[];
  lock: string | undefined;
  serverParams: Readonly<Record<string, string>>;
}

/** Serves groups of the settings. The library is loaded when a schema is. */
export function groupsSource(
  settings: Settings,
  { names, defaults, lock, serverParams }: GroupsSourceOptions,
): ServingSource {
  const roots = schemaRoots(settings);
  const references = new Map(names.map((name) => [name, settings.groups.get(name)?.tools ?? []]));
  const all = [...new Set([...references.values()].flat())];
  const named = new Set(all.map((text) => text.split('/', 1)[0]));
  const folders = roots.filter(({ source }) => named.has(source)).map(({ folder }) => folder);
  const { config, groups } = settings.places.project;
  const lockFile = lock ?? nearestLockFile();
  const [only] = names.length === 1 ? names : (defaults ?? []);
  return {
    subject: only === undefined ? `The groups ${names.join(', ')}` : `The group ${only}`,
    name: only === undefined ? 'schemakit' : `schemakit-${only}`,
    key: JSON.stringify(['groups', settings.places.project.root, [...references], lockFile ?? null]),
    places: [...folders, config, groups, ...(lockFile === undefined ? [] : [lockFile])],
    isKept: true,
    defaults: defaults === undefined ? {} : { groups: defaults },
    async load(settle): Promise<LoadedServing> {
      const { loadGroup } = await import('../tools/load-group.ts');
      const loaded = await loadGroup({ tools: all }, settings, { lock, serverParams, settle });
      const membership = [...references].map(([name, texts]) => [name, membersOf(texts, loaded.tools)] as const);
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
      const referenced = referenceOf(roots, file);
      const part = referenced === undefined ? [] : [referenced];
      const { schemas, findings, refused } = await loadReferencedWithLock(part, lock);
      const tools = toolsOf(schemas, part, { serverParams }).map(({ exposed }) => exposed);
      return { tools, prompts: exposeSchemaPrompts(schemas), groups: new Map(), findings, refused };
    },
  };
}

/** The MCP names of the tools that the references of a group name: whole files, or parts of them. */
function membersOf(references: readonly string[], tools: readonly FoundTool[]): Set<string> {
  const named = new Set(references);
  const members = tools.filter(({ file, reference }) => named.has(file) || named.has(reference));
  return new Set(members.map(({ exposed }) => exposed.listing.name));
}
