import { join } from 'node:path';
import type { IndexedSchema } from '../index/indexed-tool.ts';
import type { ToolIndex } from '../index/tool-index.ts';
import type { Settings } from '../settings/read-settings.ts';
import { listSources } from '../sources/source-state.ts';
import { builtinCatalog, schemaRoots } from './schema-roots.ts';

/** A source as `source list`, `schemas` and `status` show it. */
export interface DescribedSource {
  name: string;
  /** `own`, `builtin`, or what it was imported from: `git`, `registry`, `archive`, `folder`. */
  type: string;
  /** Only of an imported source, like `revision` and `updatedAt`. */
  url?: string;
  /** A commit or the version of a registry; null if there is none. */
  revision?: string | null;
  /** ISO 8601. */
  updatedAt?: string;
  folder: string;
  schemas: readonly IndexedSchema[];
  toolCount: number;
  /** Agents of an imported source, if it has some. */
  agentCount?: number;
}

/** An imported source says itself where it came from; what older programs wrote about others is in the settings. */
export async function describeSources(settings: Settings, index: ToolIndex): Promise<DescribedSource[]> {
  const { schemas: home } = settings.paths.home;
  const listed = await listSources({ folder: home });
  const imported = new Map(listed.map((source) => [join(home, source.name), source]));
  const indexed = index.schemas();
  return schemaRoots(settings).map(({ source: name, folder, approved }) => {
    const schemas = indexed.filter(({ source }) => source === name);
    const toolCount = schemas.reduce((sum, { tools }) => sum + tools.length, 0);
    const described = { name, folder, schemas, toolCount };
    const noted = imported.get(folder);
    if (noted?.status !== true) {
      const own = folder === builtinCatalog.folder ? 'builtin' : approved ? 'own' : 'imported';
      return { ...described, type: settings.home.sources.get(name)?.type ?? own };
    }
    const { address, revision, updatedAt, agentCount } = noted;
    return {
      ...described,
      ...(agentCount > 0 && { agentCount }),
      type: address.type,
      url: address.url,
      revision,
      updatedAt,
    };
  });
}
