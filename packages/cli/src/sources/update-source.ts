import { join } from 'node:path';
import { nearestWord } from '@schemakit/core';
import { installOffer } from './install-offer.ts';
import { listSources } from './list-sources.ts';
import { withOffer } from './open-source.ts';
import { runSafely } from './run-safely.ts';
import { sourceFinding } from './source-codes.ts';
import { heldBy, holdSource } from './source-holds.ts';
import { nameProblem } from './source-name.ts';
import { type SourceOptions, settle } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { readState } from './source-state.ts';
import { withWorkFolders } from './staging.ts';

export interface UpdateOptions extends SourceOptions {
  /** Name of the source. */
  name: string;
}

/**
 * Brings a source up to date: only files whose hashes differ are fetched and written. Files that were edited here, and files
 * that the source no longer has, are kept and reported. Never throws for bad input.
 */
export function updateSource({ name, ...options }: UpdateOptions): Promise<SourceResult> {
  const settings = settle(options);
  const { folder, limits, signal, dryRun } = settings;
  const fail = (finding: ReturnType<typeof sourceFinding>) => sourceResult({ name, dryRun, findings: [finding] });
  if (nameProblem(name) !== undefined) return unknown(name, folder).then(fail);
  return runSafely(
    settings,
    async () => {
      const place = join(folder, name);
      const before = await readState(place);
      if (before.status === 'absent') return fail(await unknown(name, folder));
      return withWorkFolders(folder, async (workFolder) => {
        const held = await holdSource({ folder, name }, async () => {
          const read = await readState(place);
          if (read.status !== 'read')
            return fail(read.status === 'invalid' ? read.finding : await unknown(name, folder));
          const { state } = read;
          return withOffer(state.address, { limits, signal, state, workFolder }, async (reading) => {
            const { url } = state.address;
            if (!reading.ok) return sourceResult({ name, url, dryRun, findings: reading.findings });
            return installOffer(reading.offer, { ...settings, name, state });
          });
        });
        return held.ok ? held.value : fail(heldBy(held, name));
      });
    },
    fail,
  );
}

async function unknown(name: string, folder: string) {
  const names = (await listSources({ folder })).map((source) => source.name);
  const meant = nearestWord(name, names);
  return sourceFinding('SRC015', `there is no source called ${JSON.stringify(name.slice(0, 100))}`, {
    hint: meant === undefined ? 'Import it first: schemakit import <url>' : `Did you mean ${meant}?`,
  });
}
