import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerCache } from './answer-cache.ts';

export interface DiskCacheOptions {
  /** Made when the first answer is kept, for the user alone. */
  folder: string;
  /** Entries that are kept at most. Default 1,000. */
  maxEntries?: number;
  /** Of all entries together. Default 64 MiB. */
  maxBytes?: number;
}

const hourMs = 3_600_000;

/** A cache that processes share: one file for each entry. Full, it removes what expires first. */
export function createDiskCache({
  folder,
  maxEntries = 1000,
  maxBytes = 64 * 1024 * 1024,
}: DiskCacheOptions): AnswerCache {
  let salt: Promise<string> | undefined;
  return {
    salt() {
      salt ??= readSalt(folder);
      return salt;
    },
    async read(key) {
      const file = join(folder, fileName(key));
      const info = await stat(file).catch(() => undefined);
      if (info === undefined || !info.isFile() || info.size > maxBytes) return undefined;
      return readFile(file, 'utf8').catch(() => undefined);
    },
    async write(key, text, expiresAt) {
      if (Buffer.byteLength(text) > maxBytes / 4) return false;
      const temporary = join(folder, `${randomUUID()}.tmp`);
      try {
        await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
        // The time of a file says when it expires, so that none has to be read to find those that did.
        await utimes(temporary, new Date(), expiresAt);
        await rename(temporary, join(folder, fileName(key)));
        await prune(folder, { maxEntries, maxBytes });
        return true;
      } catch {
        return false;
      } finally {
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
  };
}

/** Readable, for who looks into the folder; the digest at its end makes it unique, and safe on every system. */
function fileName(key: string): string {
  const digest = key.slice(key.lastIndexOf('/') + 1).replace(/[^0-9a-f]/g, '');
  const name = key
    .slice(0, key.lastIndexOf('/'))
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .slice(0, 80);
  return `${name}-${digest}.json`;
}

/** Reads the salt of the folder, or makes one. Of two processes that make one, the first wins. */
async function readSalt(folder: string): Promise<string> {
  const file = join(folder, 'salt');
  const known = await saltIn(file);
  if (known !== undefined) return known;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${randomUUID()}.tmp`);
  await writeFile(temporary, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  try {
    await link(temporary, file);
  } catch {
    // Another process was first; or the file was damaged, or the file system has no links.
    if ((await saltIn(file)) === undefined) await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  const made = await saltIn(file);
  if (made === undefined) throw new Error(`${file} cannot be read`);
  return made;
}

async function saltIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}

/** Removes entries that expired, what ended processes left, and of the others so many that the limits are kept. */
async function prune(
  folder: string,
  { maxEntries, maxBytes }: { maxEntries: number; maxBytes: number },
): Promise<void> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const info = await stat(join(folder, name)).catch(() => undefined);
      return info?.isFile() ? [{ name, size: info.size, time: info.mtimeMs }] : [];
    }),
  );
  const files = found.flat();
  const left = files.filter(({ name, time }) => name.endsWith('.tmp') && time < Date.now() - hourMs);
  const entries = files.filter(({ name }) => name.endsWith('.json')).sort((one, other) => other.time - one.time);
  let bytes = 0;
  const surplus = entries.filter(({ size, time }, index) => {
    bytes += size;
    return time < Date.now() || index >= maxEntries || bytes > maxBytes;
  });
  await Promise.all([...left, ...surplus].map(({ name }) => rm(join(folder, name), { force: true })));
}
