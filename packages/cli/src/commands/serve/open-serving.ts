import { sep } from 'node:path';
import type { ExposedTool, Finding, LoadedSchema } from '@schemakit/core';
import type { Groups, ReloadableCatalog, ToolCatalog } from '@schemakit/server';
import { createReloadableCatalog } from '@schemakit/server/catalog';
import { detailsOf, type Index, indexFilePath, type KnownFile, readIndex, writeIndex } from '../../index/index-file.ts';
import { entriesOf, isCallable } from '../../index/indexed-entry.ts';
import type { LoadedFiles } from '../../index/read-files.ts';
import { scanText } from '../../index/scan-folders.ts';
import { type UpdatedIndex, updateIndex } from '../../index/update-index.ts';
import { indexedCatalog, type SchemaOpener } from './indexed-catalog.ts';
import type { ServingSource, SourceLook } from './serving-source.ts';

export interface OpenedServing {
  catalog: ReloadableCatalog;
  state: string;
  groups: Groups;
  findings: readonly Finding[];
  refused: readonly Finding[];
  /** Reloads changed files. Files that do not load keep their last good version. Returns the findings. */
  reload(): Promise<readonly Finding[]>;
  /**
   * Loads what was opened from the index, so that tools of a file that breaks while it is edited can still be called. Skipped for
   * large catalogs, where it would undo the fast start: there, such tools stay listed, and work if they were called before.
   */
  remember(): Promise<void>;
}

const maxRemembered = 500;

/** Opens the catalog of a source. Unchanged files come from the index, and are loaded when one of their tools is called. */
export async function openServing(
  source: ServingSource,
  {
    serverParams,
    shape = (catalog) => catalog,
  }: { serverParams: Readonly<Record<string, string>>; shape?: (catalog: ToolCatalog) => ToolCatalog },
): Promise<OpenedServing> {
  const { file } = source.isCached ? indexFilePath(source.key) : {};
  const opened = new WeakMap<KnownFile, Promise<readonly ExposedTool[]>>();
  const groups = new Map<string, ReadonlySet<string>>();
  let look = source.look();
  const state = lookText(look);
  let truth = await update(file === undefined ? undefined : readIndex(file, look.state), look);
  let served = truth.index;
  if (file !== undefined && truth.isChanged && truth.refused.length === 0) cacheIndex(file, truth.index, look.state);
  const isFromIndex = truth.loaded.size === 0;
  const first = await catalogOf(served, look);
  const live = createReloadableCatalog(shape(first.catalog));
  const findings = [...first.findings, ...(await findMissing(live.current, served, serverParams))];

  async function update(before: Index | undefined, { scan }: SourceLook): Promise<UpdatedIndex> {
    const updated = await updateIndex(before, scan, { load: (files) => source.load(files), asSet: true });
    await seed(updated.index.files, updated.loaded);
    return updated;
  }

  async function seed(files: readonly KnownFile[], loaded: ReadonlyMap<string, LoadedSchema>): Promise<void> {
    if (loaded.size === 0) return;
    const { exposeSchemas } = await import('@schemakit/core');
    for (const known of files) {
      const schema = loaded.get(known.path);
      if (schema?.status) opened.set(known, Promise.resolve(exposeSchemas([schema], { serverParams })));
    }
  }

  function load(files: readonly KnownFile[]): Promise<LoadedFiles> {
    return source.load(files, { isAgain: true });
  }

  function openerOf({ files }: Index): SchemaOpener {
    let all: ReturnType<SchemaOpener['openAll']> | undefined;
    async function openAll(): ReturnType<SchemaOpener['openAll']> {
      const { exposeSchemaPrompts, exposeSchemas } = await import('@schemakit/core');
      const { schemas } = await load(files.filter(({ isSchema }) => isSchema));
      const usable = schemas.filter(({ status }) => status);
      return { tools: exposeSchemas(usable, { serverParams }), prompts: exposeSchemaPrompts(usable) };
    }
    async function open(known: KnownFile): Promise<readonly ExposedTool[]> {
      const { exposeSchemas } = await import('@schemakit/core');
      return exposeSchemas(
        (await load([known])).schemas.filter(({ status }) => status),
        { serverParams },
      );
    }
    return {
      open(known) {
        const tools = opened.get(known) ?? open(known);
        opened.set(known, tools);
        return tools;
      },
      openAll() {
        all ??= openAll();
        return all;
      },
    };
  }

  /** @param now The current files; `index` has the last good version of broken ones. */
  async function catalogOf(
    index: Index,
    looked: SourceLook,
    now: Index = index,
  ): Promise<{ catalog: ToolCatalog; findings: readonly Finding[] }> {
    const all = entriesOf(index);
    const place = (entry: (typeof all)[number]) => ({ ...entry, place: entry.file.place });
    const entries = all.filter((entry) => isCallable(entry) && looked.serves(place(entry)));
    const placeOf = new Map(index.files.map(({ path, place }) => [path, place]));
    const prompts = index.prompts.filter(({ type, name, path }) =>
      looked.serves({ type, part: name, toolName: name, place: placeOf.get(path) ?? '' }),
    );
    groups.clear();
    for (const [name, has] of looked.groups) {
      const members = entries.filter((entry) => has(place(entry)));
      groups.set(name, new Set(members.map(({ mcp }) => mcp)));
    }
    const broken = now.files.filter(({ isBroken }) => isBroken).flatMap((known) => detailsOf(known).schema.findings);
    const isNothing = !index.files.some(({ isSchema }) => isSchema);
    const nothing = isNothing ? (await source.load([])).findings : [];
    const findings = [...broken, ...nothing, ...index.findings, ...looked.lostAmong(all, index.prompts)];
    return { catalog: await indexedCatalog({ entries, prompts }, openerOf(index)), findings };
  }

  return {
    catalog: live,
    state,
    groups,
    findings,
    refused: [...look.refused, ...truth.refused],
    async reload() {
      const now = source.look();
      if (now.refused.length > 0) return now.refused;
      const updated = await update(now.state === look.state ? truth.index : undefined, now);
      // Do not serve schemas that fail the lock file check, nor their earlier version.
      if (updated.refused.length > 0) return updated.refused;
      const current = withLastGoodFiles(served, updated.index);
      const next = await catalogOf(current, now, updated.index);
      // A folder that is being replaced may be empty for a moment.
      const isNothing = next.catalog.tools.count === 0 && next.catalog.prompts.all.length === 0;
      if (isNothing && next.findings.some(({ severity }) => severity === 'error')) return next.findings;
      [look, truth, served] = [now, updated, current];
      live.replace(shape(next.catalog));
      return next.findings;
    },
    async remember() {
      if (!isFromIndex || served.files.length === 0 || live.current.tools.count > maxRemembered) return;
      const files = served.files.filter(({ isSchema, isBroken }) => isSchema && !isBroken);
      const { schemas } = await load(files);
      await seed(files, new Map(schemas.map((schema) => [schema.file, schema])));
    },
  };
}

export function lookText({ scan, state }: SourceLook): string {
  return scanText(scan) + state;
}

/** Without the cache, the next start loads the schemas again. */
function cacheIndex(file: string, index: Index, state: string): void {
  try {
    writeIndex(file, index, state);
  } catch {
    // The server runs without it.
  }
}

/** Broken files, and those of a missing folder, keep their last good version. */
function withLastGoodFiles(before: Index, now: Index): Index {
  const lastGood = new Map<KnownFile, KnownFile[]>();
  for (const known of now.files.filter(({ isBroken }) => isBroken)) {
    const good = before.files.filter(
      ({ path, isBroken }) => !isBroken && (path === known.path || path.startsWith(known.path + sep)),
    );
    if (good.length > 0) lastGood.set(known, good);
  }
  if (lastGood.size === 0) return now;
  const paths = new Set([...lastGood.values()].flat().map(({ path }) => path));
  return {
    ...now,
    files: now.files.flatMap((known) => lastGood.get(known) ?? known),
    prompts: [...now.prompts, ...before.prompts.filter(({ path }) => paths.has(path))],
  };
}

/** Missing secrets. The library is only imported if there are some. */
async function findMissing(
  { tools }: ToolCatalog,
  { files }: Index,
  serverParams: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  const needed = new Set(files.flatMap(({ secrets = [] }) => secrets));
  if ([...needed].every((name) => (serverParams[name] ?? '') !== '')) return [];
  const { missingSecrets } = await import('@schemakit/core/internal');
  return missingSecrets(tools.all, serverParams);
}
