import { sep } from 'node:path';
import type { ExposedTool, Finding, LoadedSchema } from '@schemakit/core';
import type { Groups, ReloadableCatalog, ToolCatalog } from '@schemakit/server';
import { createReloadableCatalog } from '@schemakit/server/catalog';
import { detailsOf, type Index, type KnownFile, readIndex, writeIndex } from '../index/index-file.ts';
import { entriesOf, isCallable } from '../index/indexed-entry.ts';
import { indexPlace } from '../index/open-index.ts';
import type { LoadedFiles } from '../index/read-files.ts';
import { scanText } from '../index/scan-folders.ts';
import { type UpdatedIndex, updateIndex } from '../index/update-index.ts';
import { type SchemaOpener, servedOffer } from './served-offer.ts';
import type { ServingSource, SourceLook } from './serving-source.ts';

/** An offer that is ready to be served. */
export interface OpenedServing {
  offer: ReloadableCatalog;
  /** What the files were when they were looked at. */
  state: string;
  groups: Groups;
  /** What was found wrong with the schemas that are served. */
  findings: readonly Finding[];
  /** Errors over which nothing may be served. */
  refused: readonly Finding[];
  /** Loads what has changed and puts it in the place of what is served. What does not load stays as it was. Returns what is wrong. */
  reload(): Promise<readonly Finding[]>;
  /**
   * Loads what was opened from the index, so that a file that breaks while it is edited keeps its tools. Not where that would cost a
   * server of many tools what it saved: there, tools of such a file stay in the list, and answer if they were called before.
   */
  remember(): Promise<void>;
}

const maxRemembered = 500;

/**
 * Opens what a source offers: from the index where nothing has changed since it was written, and then schemas are loaded when they
 * are first called.
 *
 * @param options.shape Picks the part that is served.
 */
export async function openServing(
  source: ServingSource,
  {
    serverParams,
    shape = (offer) => offer,
  }: { serverParams: Readonly<Record<string, string>>; shape?: (offer: ToolCatalog) => ToolCatalog },
): Promise<OpenedServing> {
  const { file } = source.isKept ? indexPlace(source.key) : {};
  const opened = new WeakMap<KnownFile, Promise<readonly ExposedTool[]>>();
  const groups = new Map<string, ReadonlySet<string>>();
  let look = source.look();
  const state = lookText(look);
  let truth = await update(file === undefined ? undefined : readIndex(file, look.state), look);
  let served = truth.index;
  if (file !== undefined && truth.isChanged && truth.refused.length === 0) keep(file, truth.index, look.state);
  const isFromIndex = truth.loaded.size === 0;
  const first = await offerOf(served, look);
  const live = createReloadableCatalog(shape(first.offer));
  const findings = [...first.findings, ...(await findMissing(live.current, served, serverParams))];

  async function update(before: Index | undefined, { scan }: SourceLook): Promise<UpdatedIndex> {
    const updated = await updateIndex(before, scan, { load: (files) => source.load(files), asSet: true });
    await seed(updated.index.files, updated.loaded);
    return updated;
  }

  /** What was loaded is not loaded again when it is called. */
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
      const { schemas } = await load(files.filter(({ names }) => names !== undefined));
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

  /** @param now What the files hold; what is served in place of broken ones is in `index`. */
  async function offerOf(
    index: Index,
    looked: SourceLook,
    now: Index = index,
  ): Promise<{ offer: ToolCatalog; findings: readonly Finding[] }> {
    const all = entriesOf(index);
    const place = (entry: (typeof all)[number]) => ({ type: entry.type, part: entry.part, place: entry.file.place });
    const entries = all.filter((entry) => isCallable(entry) && looked.serves(place(entry)));
    const places = new Map(index.files.map(({ path, place }) => [path, place]));
    const prompts = index.prompts.filter(({ type, name, path }) =>
      looked.serves({ type, part: name, place: places.get(path) ?? '' }),
    );
    groups.clear();
    for (const [name, has] of looked.groups) {
      const members = entries.filter((entry) => has(place(entry)));
      groups.set(name, new Set(members.map(({ mcp }) => mcp)));
    }
    const broken = now.files.filter(({ isBroken }) => isBroken).flatMap((known) => detailsOf(known).schema.findings);
    const isNothing = !index.files.some(({ names }) => names !== undefined);
    const nothing = isNothing ? (await source.load([])).findings : [];
    const findings = [...broken, ...nothing, ...index.findings, ...looked.lostAmong(all, index.prompts)];
    return { offer: await servedOffer({ entries, prompts }, openerOf(index)), findings };
  }

  return {
    offer: live,
    state,
    groups,
    findings,
    refused: [...look.refused, ...truth.refused],
    async reload() {
      const now = source.look();
      if (now.refused.length > 0) return now.refused;
      const updated = await update(now.state === look.state ? truth.index : undefined, now);
      // Schemas that are not those that were trusted are not served, and neither is what stood in their place before.
      if (updated.refused.length > 0) return updated.refused;
      const current = keepBroken(served, updated.index);
      const next = await offerOf(current, now, updated.index);
      // A folder that is empty for now, while it is replaced, is not one that somebody wants to have served.
      const isNothing = next.offer.tools.count === 0 && next.offer.prompts.all.length === 0;
      if (isNothing && next.findings.some(({ severity }) => severity === 'error')) return next.findings;
      [look, truth, served] = [now, updated, current];
      live.replace(shape(next.offer));
      return next.findings;
    },
    async remember() {
      if (!isFromIndex || served.files.length === 0 || live.current.tools.count > maxRemembered) return;
      const files = served.files.filter(({ names, isBroken }) => names !== undefined && !isBroken);
      const { schemas } = await load(files);
      await seed(files, new Map(schemas.map((schema) => [schema.file, schema])));
    },
  };
}

/** All that was seen of the files, as a text to compare. */
export function lookText({ scan, state }: SourceLook): string {
  return scanText(scan) + state;
}

/** A server goes on without what cannot be written; the next one loads its schemas again. */
function keep(file: string, index: Index, state: string): void {
  try {
    writeIndex(file, index, state);
  } catch {
    // As said above.
  }
}

/** Files that do not load, and all of a folder that is not there, stay as they were. */
function keepBroken(before: Index, now: Index): Index {
  const kept = new Map<KnownFile, KnownFile[]>();
  for (const known of now.files.filter(({ isBroken }) => isBroken)) {
    const good = before.files.filter(
      ({ path, isBroken }) => !isBroken && (path === known.path || path.startsWith(known.path + sep)),
    );
    if (good.length > 0) kept.set(known, good);
  }
  if (kept.size === 0) return now;
  const paths = new Set([...kept.values()].flat().map(({ path }) => path));
  return {
    ...now,
    files: now.files.flatMap((known) => kept.get(known) ?? known),
    prompts: [...now.prompts, ...before.prompts.filter(({ path }) => paths.has(path))],
  };
}

/** Secrets without which calls will fail. Where there are none, the library is not loaded to say so. */
async function findMissing(
  { tools }: ToolCatalog,
  { files }: Index,
  serverParams: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  const needed = new Set(files.flatMap(({ secrets = [] }) => secrets));
  if ([...needed].every((name) => (serverParams[name] ?? '') !== '')) return [];
  const { missingSecrets } = await import('@schemakit/core');
  return missingSecrets(tools.all, serverParams);
}
