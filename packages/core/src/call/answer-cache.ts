import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Stores answers for the time to live in the `preload` of their tool. A cache that fails does not fail the call: an entry that cannot
 * be read is fetched, and one that cannot be written is not stored.
 */
export interface AnswerCache {
  /**
   * A random text stored with the cache and nowhere else. Keys are digests made with it, so that a key seen elsewhere reveals
   * nothing about the input and the secrets of a call.
   */
  salt(): Promise<string>;
  /** The text of an entry, or undefined. */
  read(key: string): Promise<string | undefined>;
  /** Stores the text of an entry. Resolves to false if it was not stored. */
  write(key: string, text: string, expiresAt: Date): Promise<boolean>;
}

/** How a cache was used in a call. Times are ISO 8601. */
export type CacheUse =
  | { hit: true; fetchedAt: string; expiresAt: string }
  | { hit: false; stored: true; expiresAt: string }
  | { hit: false; stored: false };

export interface MemoryCacheOptions {
  /** Default 1,000. */
  maxEntries?: number;
  /** Characters of all entries together. Default 32 million. */
  maxCharacters?: number;
}

/**
 * A cache in memory. When it is full it evicts the least recently used entries.
 *
 * @example
 * const cache = createMemoryCache({ maxEntries: 100 });
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const call = { schema, routeName: 'getTides', userParams: { harbour: 'dover' }, cache };
 * console.log((await SchemaKit.fetch(call)).status); // true
 */
export function createMemoryCache({
  maxEntries = 1000,
  maxCharacters = 32_000_000,
}: MemoryCacheOptions = {}): AnswerCache {
  const salt = randomBytes(32).toString('hex');
  const entries = new Map<string, string>();
  let characters = 0;
  const evict = (key: string) => {
    characters -= entries.get(key)?.length ?? 0;
    entries.delete(key);
  };
  return {
    salt: async () => salt,
    async read(key) {
      const text = entries.get(key);
      if (text === undefined) return undefined;
      // A map keeps insertion order, so that the first key is the least recently used.
      entries.delete(key);
      entries.set(key, text);
      return text;
    },
    async write(key, text) {
      evict(key);
      if (text.length > maxCharacters / 4) return false;
      entries.set(key, text);
      characters += text.length;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && characters <= maxCharacters) break;
        evict(oldest);
      }
      return true;
    },
  };
}

export interface DiskCacheOptions {
  /** Created with the first entry, readable only by the user. */
  folder: string;
  /** Default 1,000. */
  maxEntries?: number;
  /** Bytes of all entries together. Default 64 MiB. */
  maxBytes?: number;
}

const hourMs = 3_600_000;

/**
 * A cache in a folder that processes can share: one file per entry. When it is full it removes what expires first.
 *
 * @example
 * const cache = createDiskCache({ folder: 'cache' });
 * const schema = await SchemaKit.loadSchema({ filePath: 'tides.mjs' });
 * const call = { schema, routeName: 'getTides', userParams: { harbour: 'dover' }, cache };
 * console.log((await SchemaKit.fetch(call)).status); // true
 */
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
        // The modification time is the expiry time, so that pruning need not read the files.
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

/** Readable for people; the digest at the end makes it unique. */
function fileName(key: string): string {
  const digest = key.slice(key.lastIndexOf('/') + 1).replace(/[^0-9a-f]/g, '');
  const name = key
    .slice(0, key.lastIndexOf('/'))
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .slice(0, 80);
  return `${name}-${digest}.json`;
}

/** Reads the salt of the folder or creates it. If two processes create one, the first wins. */
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
    // Another process was first, the file was damaged, or the file system has no hard links.
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

/** Removes expired entries, leftover temporary files, and as many other entries as the limits require. */
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
