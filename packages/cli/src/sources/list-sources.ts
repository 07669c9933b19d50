import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@schemakit/core';
import type { SourceAddress } from './source-address.ts';
import { nameProblem } from './source-name.ts';
import { readState } from './source-state.ts';

/** A source that was imported, or a folder whose `_source.json` cannot be read. */
export type ListedSource =
  | {
      status: true;
      name: string;
      address: SourceAddress;
      revision: string | null;
      importedAt: string;
      updatedAt: string;
      /** Schema files that the source had at its last update. */
      schemaCount: number;
    }
  | { status: false; name: string; finding: Finding };

/** The sources in a folder, by their names. Folders of the user's own are no sources. */
export async function listSources({ folder }: { folder: string }): Promise<ListedSource[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && nameProblem(entry.name) === undefined);
  const listed = await Promise.all(names.map(({ name }) => readSource(folder, name)));
  return listed.flatMap((source) => source ?? []).sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function readSource(folder: string, name: string): Promise<ListedSource | undefined> {
  const read = await readState(join(folder, name));
  if (read.status === 'absent') return undefined;
  if (read.status === 'invalid') return { status: false, name, finding: read.finding };
  const { address, revision, importedAt, updatedAt, files } = read.state;
  const schemas = [...files.values()].filter(({ kind, removed }) => kind === 'schema' && removed !== true);
  return { status: true, name, address, revision, importedAt, updatedAt, schemaCount: schemas.length };
}
