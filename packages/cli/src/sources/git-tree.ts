import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from './run-git.ts';
import { branchProblem, type GitAddress } from './source-address.ts';
import { type Outcome, refuse } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import type { ListedTree, TreeEntry } from './source-tree.ts';

export interface GitTip {
  /** The commit, or its annotated tag. */
  oid: string;
  ref: string;
  address: GitAddress;
}

/** Resolves an address to a commit, without fetching it. */
export async function findTip(address: GitAddress): Promise<Outcome<GitTip>> {
  const { url, branch, path, tree } = address;
  const listing = await runGit(['ls-remote', '--quiet', '--', url], { url, timeoutMs: 60_000 });
  if (!listing.ok) return listing;
  const lines = listing.value.toString('utf8').split('\n');
  const refs = new Map(lines.map((line) => line.split('\t').reverse() as [string, string]));
  const wanted = branch ?? tree;
  if (wanted === undefined) {
    const tip = tipAt(refs, 'HEAD');
    return tip
      ? { ok: true, value: { ...tip, address } }
      : refuse('SRC002', `${url} is empty`, { hint: hintFor(refs) });
  }
  // The longest ref that the text begins with: `feature/x/schemas` may be the folder `schemas` of the branch `feature/x`.
  const parts = wanted.split('/');
  for (let length = parts.length; length > (branch === undefined ? 0 : parts.length - 1); length -= 1) {
    const name = parts.slice(0, length).join('/');
    const tip = tipAt(refs, `refs/heads/${name}`) ?? tipAt(refs, `refs/tags/${name}`) ?? commitOf(name);
    const folder = path ?? parts.slice(length).join('/');
    const found: GitAddress = { type: 'git', url, branch: name, ...(folder !== '' && { path: folder }) };
    if (tip !== undefined) return { ok: true, value: { ...tip, address: found } };
  }
  return refuse('SRC002', `${url} has no branch, tag or commit for ${wanted}`, { hint: hintFor(refs) });
}

function tipAt(refs: ReadonlyMap<string, string>, ref: string): { oid: string; ref: string } | undefined {
  // `^{}` is the commit of an annotated tag.
  const tip = commitOf(refs.get(`${ref}^{}`) ?? refs.get(ref) ?? '');
  return tip && { ...tip, ref };
}

function commitOf(text: string): { oid: string; ref: string } | undefined {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? { oid: text, ref: text } : undefined;
}

function hintFor(refs: ReadonlyMap<string, string>): string {
  const branches = [...refs.keys()].filter((ref) => ref.startsWith('refs/heads/')).map((ref) => ref.slice(11));
  return branches.length === 0 ? 'Push something first.' : `Branches: ${branches.slice(0, 10).join(', ')}.`;
}

/**
 * Fetches one commit without history into a bare repository, and reads its tree. Nothing is checked out, so links, filters and
 * hooks of the repository have no effect, and none of its paths reaches the disk.
 *
 * @param options.folder - An empty folder for the repository.
 */
export async function fetchTree(
  { oid, ref, address: { url } }: GitTip,
  { folder }: { folder: string },
): Promise<Outcome<ListedTree>> {
  if (ref !== 'HEAD' && branchProblem(ref) !== undefined) {
    return refuse('SRC001', `${JSON.stringify(ref)} is not a valid branch name`);
  }
  const format = oid.length === 64 ? ['--object-format=sha256'] : [];
  const made = await runGit(['init', '--quiet', '--bare', ...format, '--', folder], { url });
  if (!made.ok) return made;
  const tooLarge = new AbortController();
  const watch = setInterval(async () => {
    if ((await sizeOf(folder)) > sourceLimits.unpackedBytes) tooLarge.abort();
  }, 500);
  try {
    const fetch = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    const run = await runGit([...fetch, '--', url, `+${ref}:refs/source/tip`], {
      url,
      folder,
      signal: tooLarge.signal,
    });
    if (!run.ok) return run;
  } catch (error) {
    if (!tooLarge.signal.aborted) throw error;
    const message = `${url} is larger than ${sourceLimits.unpackedBytes} bytes`;
    return refuse('SRC006', message, { hint: 'Import a registry or an archive instead.' });
  } finally {
    clearInterval(watch);
  }
  return readTree(url, folder);
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return infos.reduce((sum, info) => sum + (info?.size ?? 0), 0);
}

async function readTree(url: string, folder: string): Promise<Outcome<ListedTree>> {
  const options = { url, folder };
  const commit = await runGit(['rev-parse', '--verify', 'refs/source/tip^{commit}'], options);
  if (!commit.ok) return commit;
  const revision = commit.value.toString('utf8').trim();
  const listing = await runGit(['ls-tree', '-r', '-z', '-l', '--full-tree', revision], options);
  if (!listing.ok) return listing;
  const entries = new Map<string, TreeEntry & { oid: string }>();
  for (const line of listing.value.toString('utf8').split('\0')) {
    const [, mode = '', oid = '', size = '', path = ''] = /^(\d+) \w+ (\w+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (path !== '') entries.set(path, { kind: kindOf(mode), bytes: Number(size) || 0, oid });
  }
  const oidOf = (path: string) => {
    const entry = entries.get(path);
    return entry?.kind === 'file' ? entry.oid : '';
  };
  const read: ListedTree['read'] = async (paths) => {
    const input = [...new Set(paths.map(oidOf))].filter((oid) => oid !== '').join('\n');
    const batch = await runGit(['cat-file', '--batch'], { ...options, input, maxBytes: 2 ** 30 });
    const blobs = batch.ok ? blobsIn(batch.value) : new Map<string, Uint8Array>();
    const contents = new Map<string, Uint8Array>();
    for (const path of paths) {
      const bytes = blobs.get(oidOf(path));
      if (bytes !== undefined) contents.set(path, bytes);
    }
    return contents;
  };
  return { ok: true, value: { revision, entries, read } };
}

/** Git modes: 100644 and 100755 files, 120000 links, 160000 submodules. */
function kindOf(mode: string): TreeEntry['kind'] {
  if (mode.startsWith('100')) return 'file';
  return mode === '120000' ? 'link' : 'other';
}

/** Parses the output of `git cat-file --batch`: a line `<oid> blob <size>`, the bytes, a line break. */
function blobsIn(output: Buffer): Map<string, Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at);
    const [oid = '', type, size = ''] = output.toString('latin1', at, end).split(' ');
    if (end === -1 || type !== 'blob') break;
    const from = end + 1;
    blobs.set(oid, output.subarray(from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return blobs;
}
