import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { ServedTool } from '@schemakit/server';
import {
  createLiveOffer,
  createOffer,
  type Groups,
  type LiveOffer,
  type Offer,
  restoreOffer,
  snapshotOffer,
} from '@schemakit/server/stdio';
import { readerVersion } from '../tool-index/reader-version.ts';
import { textHash } from '../tools/text-hash.ts';
import { type FilesState, filesState } from './files-state.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isProblem } from './is-problem.ts';
import { createLastGood } from './last-good.ts';
import { readOffer, writeOffer } from './offer-file.ts';
import type { LoadedServing, ServingSource } from './serving-source.ts';

/** An offer that is ready to be served. */
export interface OpenedServing {
  offer: LiveOffer;
  /** What the files were before they were loaded. */
  state: FilesState;
  groups: Groups;
  /** What was found wrong with the schemas that are served. */
  findings: readonly Finding[];
  /** Errors over which nothing may be served. */
  refused: readonly Finding[];
  /** Loads everything anew and puts it in the place of what is served. What does not load stays as it was. Returns what is wrong. */
  reload(): Promise<readonly Finding[]>;
  /**
   * Loads what was opened from disk, so that a file that breaks while it is edited keeps its tools. Not where that would cost a
   * server of many tools what it saved: there, tools of such a file stay in the list, and answer as long as they were called before.
   */
  remember(): Promise<void>;
}

/**
 * Opens what a source offers: from disk where nothing has changed since it was loaded last, and then schemas are loaded when they
 * are first called.
 *
 * @param options.shape Picks the part that is served.
 * @param options.folder The global folder, where offers are kept. Nothing is kept where there is none.
 */
export async function openServing(
  source: ServingSource,
  {
    folder,
    serverParams,
    shape = (offer) => offer,
  }: {
    folder: string | undefined;
    serverParams: Readonly<Record<string, string>>;
    shape?: (offer: Offer) => Offer;
  },
): Promise<OpenedServing> {
  const file =
    source.isKept && folder !== undefined ? join(folder, 'offers', `${textHash(source.key)}.jsonl`) : undefined;
  const lastGood = createLastGood();
  const load = () => source.load(lastGood.settle);
  const state = filesState(source.places);
  const fingerprint = file === undefined ? undefined : fingerprintOf(state, readerVersion());
  const stored = file === undefined || fingerprint === undefined ? undefined : readOffer(file, fingerprint);
  const groups = new Map<string, ReadonlySet<string>>();
  const setGroups = (named: Iterable<readonly [string, Iterable<string>]>) => {
    groups.clear();
    for (const [name, tools] of named) groups.set(name, new Set(tools));
  };
  let offer: Offer;
  let findings: readonly Finding[];
  let refused: readonly Finding[] = [];
  if (stored !== undefined) {
    offer = await restoreOffer(stored.snapshot, opener(source, load));
    findings = stored.findings;
    setGroups(stored.groups);
  } else {
    const loaded = await load();
    ({ findings, refused } = loaded);
    offer = createOffer(loaded.tools, loaded.prompts);
    setGroups(loaded.groups);
    if (file !== undefined && fingerprint !== undefined && refused.length === 0) {
      writeOffer(file, {
        fingerprint,
        snapshot: snapshotOffer(offer),
        groups: [...groups].map(([name, tools]) => [name, [...tools]]),
        requiredServerParams: [...new Set(offer.tools.all.flatMap((tool) => tool.requiredServerParams))],
        // All others would be half of the file.
        findings: findings.filter(isProblem),
      });
    }
  }
  const served = shape(offer);
  const live = createLiveOffer(served);
  return {
    offer: live,
    state,
    groups,
    findings: [...findings, ...(await findMissing(served, serverParams, stored?.requiredServerParams))],
    refused,
    async reload() {
      const loaded = await load();
      // Schemas that are not those that were trusted are not served, and neither is what stood in their place before.
      if (loaded.refused.length > 0) return loaded.refused;
      // A folder that is empty for now, while it is replaced, is not one that somebody wants to have served.
      if (isNothing(loaded) && loaded.findings.some(({ severity }) => severity === 'error')) return loaded.findings;
      setGroups(loaded.groups);
      live.replace(shape(createOffer([...loaded.tools, ...brokenTools(live.current, loaded)], loaded.prompts)));
      return loaded.findings;
    },
    async remember() {
      if (stored !== undefined && offer.tools.count <= maxRemembered) await load();
    },
  };
}

const maxRemembered = 500;

/** Tools of files that did not load, and of which no last good version is known. */
function brokenTools({ tools: { all } }: Offer, { tools, findings }: LoadedServing): readonly ServedTool[] {
  const broken = new Set(findings.flatMap(({ severity, file }) => (severity === 'error' && file ? [file] : [])));
  for (const { file } of tools) if (file !== undefined) broken.delete(file);
  return all.filter(({ file }) => file !== undefined && broken.has(file));
}

function isNothing({ tools, prompts }: LoadedServing): boolean {
  return tools.length === 0 && prompts.length === 0;
}

/**
 * Secrets without which calls will fail. Where there are none, the library is not loaded to say so.
 *
 * @param required Of those that any tool needs, if that is known without looking at the tools.
 */
async function findMissing(
  { tools }: Offer,
  serverParams: Readonly<Record<string, string>>,
  required: readonly string[] = tools.all.flatMap(({ requiredServerParams }) => requiredServerParams),
): Promise<readonly Finding[]> {
  if (required.every((name) => (serverParams[name] ?? '') !== '')) return [];
  const { missingSecrets } = await import('@schemakit/core');
  return missingSecrets(tools.all, serverParams);
}

/** Loads schemas when they are called, each once. */
function opener(source: ServingSource, load: () => Promise<LoadedServing>): (file?: string) => Promise<Offer> {
  const opened = new Map<string | undefined, Promise<Offer>>();
  const open = async (file: string | undefined) => {
    const { tools, prompts } = await (file === undefined ? load() : source.loadFile(file));
    return createOffer(tools, prompts);
  };
  return (file) => {
    const known = opened.get(file) ?? open(file);
    opened.set(file, known);
    return known;
  };
}
