import { hash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { isRecord } from '../settings/read-json.ts';
import type { SourceAddress } from './source-address.ts';
import { isSha256, type Validators } from './source-state.ts';

/** A file that was fetched and found whole. */
export interface KeptFile extends Validators {
  sha256: string;
}

/** The folder in which a source is put together; it survives an interruption. */
export interface Staging {
  /** Folder of the files as they will be, made anew each time. */
  tree: string;
  /** Keeps a file that was fetched. */
  keep(path: string, bytes: Uint8Array, validators?: Validators): Promise<KeptFile>;
  /** What is kept of a file, if it is still whole; with `sha256`, whatever path it was fetched for. */
  kept(path: string, options?: { sha256?: string | undefined }): Promise<KeptFile | undefined>;
  /** Where a kept file is. */
  fileOf(sha256: string): string;
  remove(): Promise<void>;
}

/** Where sources of a folder are put together. Its name begins with a dot, so that no schema is looked for in it. */
export function stagingFolder(folder: string): string {
  return join(folder, '.staging');
}

/**
 * Opens the staging folder of a source. Files are kept under their hashes, so that nothing of their paths matters here, and a
 * list says for which path of which source each was fetched.
 */
export async function openStaging({
  folder,
  name,
  address,
}: {
  folder: string;
  name: string;
  address: SourceAddress;
}): Promise<Staging> {
  const own = join(stagingFolder(folder), `files-${name}`);
  const downloads = join(own, 'downloads');
  const list = join(own, 'downloads.jsonl');
  await rm(join(own, 'tree'), { recursive: true, force: true });
  makeFolder(downloads);
  await mkdir(join(own, 'tree'));
  // Findings name real paths, which have to be known again.
  const tree = await realpath(join(own, 'tree'));
  const source = address.url;
  const known = await readList(list, source);
  const fileOf = (sha256: string) => join(downloads, sha256);
  return {
    tree,
    fileOf,
    async keep(path, bytes, validators = {}) {
      const sha256 = hash('sha256', bytes);
      const temporary = `${fileOf(sha256)}.${randomUUID()}.tmp`;
      await writeFile(temporary, bytes, { flag: 'wx' });
      await rename(temporary, fileOf(sha256));
      const kept = { sha256, ...validators };
      await appendFile(list, `${JSON.stringify({ source, path, ...kept })}\n`);
      known.set(path, kept);
      return kept;
    },
    async kept(path, { sha256 } = {}) {
      const kept = sha256 === undefined ? known.get(path) : { sha256 };
      if (kept === undefined) return undefined;
      const bytes = await readFile(fileOf(kept.sha256)).catch(() => undefined);
      return bytes !== undefined && hash('sha256', bytes) === kept.sha256 ? kept : undefined;
    },
    async remove() {
      await rm(own, { recursive: true, force: true });
      await rmdir(stagingFolder(folder)).catch(() => {}); // Somebody else is at work in it.
    },
  };
}

/** The last line may be a part of one, where a process ended while it wrote. */
async function readList(file: string, source: string): Promise<Map<string, KeptFile>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const kept = new Map<string, KeptFile>();
  for (const line of text.split('\n')) {
    const entry = parsed(line);
    if (!isRecord(entry) || entry.source !== source) continue;
    const { path, sha256, etag, lastModified } = entry;
    if (typeof path !== 'string' || !isSha256(sha256)) continue;
    kept.set(path, {
      sha256,
      ...(typeof etag === 'string' && { etag }),
      ...(typeof lastModified === 'string' && { lastModified }),
    });
  }
  return kept;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Folders for work that is of no use once its process has ended. Those that ended without a chance to remove them are removed. */
export async function withWorkFolders<T>(
  folder: string,
  use: (workFolder: () => Promise<string>) => Promise<T>,
): Promise<T> {
  const staging = stagingFolder(folder);
  await removeAbandoned(staging);
  const made: string[] = [];
  try {
    return await use(async () => {
      const path = join(staging, `work-${process.pid}-${randomUUID()}`);
      made.push(path);
      makeFolder(path);
      return path;
    });
  } finally {
    for (const path of made) await rm(path, { recursive: true, force: true, maxRetries: 3 });
    await rmdir(staging).catch(() => {}); // It is not there, or somebody else is at work in it.
  }
}

/** No work takes so long, in milliseconds. */
const workFolderMs = 3_600_000;

async function removeAbandoned(staging: string): Promise<void> {
  const names = await readdir(staging).catch(() => []);
  for (const name of names) {
    if (!name.startsWith('work-')) continue;
    const { mtimeMs } = await stat(join(staging, name));
    if (Date.now() - mtimeMs > workFolderMs) await rm(join(staging, name), { recursive: true, force: true });
  }
}
