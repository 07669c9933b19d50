import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { installOffer } from './install-offer.ts';
import { listSources } from './list-sources.ts';
import type { OfferReading } from './offer.ts';
import { withOffer } from './open-source.ts';
import { runSafely } from './run-safely.ts';
import { isSameAddress, readAddress, type SourceAddress, withoutLogin } from './source-address.ts';
import { sourceFinding } from './source-codes.ts';
import { heldBy, holdSource } from './source-holds.ts';
import { nameFrom, nameProblem } from './source-name.ts';
import { type SourceOptions, type SourceSettings, settle } from './source-options.ts';
import { type SourceResult, sourceResult } from './source-result.ts';
import { readState } from './source-state.ts';
import { withWorkFolders } from './staging.ts';
import { updateSource } from './update-source.ts';

export interface ImportOptions extends SourceOptions {
  /**
   * The page of a repository on GitHub or GitLab, an address that git knows (https, ssh, file), a `.tar.gz` on the web or on
   * disk, a registry (`.json`), or a folder.
   */
  url: string;
  /** A branch, a tag or a commit of a repository. Default: the branch that it names. */
  branch?: string;
  /** Name of the source, and of its folder. Default: the one that its registry or its address has. */
  name?: string;
}

/**
 * Imports schemas from a source into `<folder>/<name>`. A source that was imported before is updated. Never throws for bad
 * input: what is wrong with the source or one of its files is a finding.
 */
export function importSource({ url, branch, name, ...options }: ImportOptions): Promise<SourceResult> {
  const reading = readAddress(url, { branch });
  if (reading.ok) return importAddress(reading.address, { name, ...options });
  const { dryRun = false } = options;
  return Promise.resolve(sourceResult({ url: withoutLogin(url), dryRun, findings: [reading.finding] }));
}

/** Imports what is at an address. */
export function importAddress(
  address: SourceAddress,
  { name, ...options }: SourceOptions & { name?: string | undefined },
): Promise<SourceResult> {
  const settings = settle(options);
  const { folder, signal, limits, dryRun } = settings;
  const about = { url: address.url, dryRun };
  const problem = name === undefined ? undefined : nameProblem(name);
  if (problem !== undefined) {
    const finding = sourceFinding('SRC008', `the name ${JSON.stringify(name)} ${problem}`);
    return Promise.resolve(sourceResult({ ...about, findings: [finding] }));
  }
  return runSafely(
    settings,
    async () => {
      const known = (await listSources({ folder })).find(
        (source) => source.status && isSameAddress(source.address, address) && (name ?? source.name) === source.name,
      );
      if (known !== undefined) return updateSource({ ...options, name: known.name });
      return withWorkFolders(folder, (workFolder) =>
        withOffer(address, { limits, signal, workFolder }, (reading) =>
          importOffer(reading, { address, name, settings }),
        ),
      );
    },
    (finding) => sourceResult({ ...about, findings: [finding] }),
  );
}

interface Import {
  address: SourceAddress;
  name: string | undefined;
  settings: SourceSettings;
}

async function importOffer(reading: OfferReading, { address, name: wanted, settings }: Import): Promise<SourceResult> {
  const about = { url: address.url, dryRun: settings.dryRun };
  if (!reading.ok) return sourceResult({ ...about, findings: reading.findings });
  const { offer } = reading;
  const name = wanted ?? nameFrom(offer.name);
  if (name === undefined) return sourceResult({ ...about, findings: [namelessFinding(offer.name)] });
  const { folder } = settings;
  const held = await holdSource({ folder, name }, async () => {
    const place = join(folder, name);
    const read = await readState(place);
    // Another process may have imported it since this one looked.
    if (read.status === 'read' && isSameAddress(read.state.address, offer.address)) {
      return installOffer(offer, { ...settings, name, state: read.state });
    }
    const taken = await findTaken(folder, name);
    if (taken !== undefined) return sourceResult({ ...about, name, findings: [takenFinding(name, taken)] });
    return installOffer(offer, { ...settings, name, state: undefined });
  });
  return held.ok ? held.value : sourceResult({ ...about, name, findings: [heldBy(held, name)] });
}

/** What has the name, or one that differs only in upper and lower case. */
async function findTaken(folder: string, name: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => []);
  return names.find((other) => other.toLowerCase() === name.toLowerCase());
}

function namelessFinding(text: string) {
  return sourceFinding(
    'SRC008',
    `the source calls itself ${JSON.stringify(text.slice(0, 100))}, which can be no folder`,
    {
      hint: 'Give it a name: --name <name>.',
    },
  );
}

function takenFinding(name: string, taken: string) {
  return sourceFinding('SRC008', `there is something else called ${taken} already`, {
    hint: `Give the source another name than ${name}: --name <name>.`,
  });
}
