import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../settings/make-folder.ts';
import { readArchive } from './archive-tree.ts';
import { readFolder } from './folder-tree.ts';
import { fetchTree, findTip } from './git-tree.ts';
import { ownSource } from './path-problem.ts';
import { readRegistry } from './read-registry.ts';
import type { GitAddress, SourceAddress } from './source-address.ts';
import { openSourceClient, plainHttpProblem, type SourceClient } from './source-client.ts';
import { type Outcome, overLimit, refuse, sourceFinding } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import { type SourceState, stagingFolder, type Validators } from './source-state.ts';
import { chooseFiles, type SourceTree } from './source-tree.ts';

export interface OpenOptions {
  folder: string;
  /** The previous import, if it is complete: unchanged files are not sent again. */
  state?: SourceState | undefined;
}

/** Lists the files of a source for `use`, then closes connections and removes temporary folders. */
export async function withSource<T>(
  address: SourceAddress,
  options: OpenOptions,
  use: (opened: Outcome<SourceTree>) => Promise<T>,
): Promise<T> {
  const { url } = address;
  const isWeb = /^https?:/.test(url);
  const plain = isWeb ? await plainHttpProblem(url) : undefined;
  if (plain !== undefined) return use({ ok: false, finding: plain });
  if (address.type === 'git') {
    return withWorkFolder(options.folder, async (work) => use(await openRepository(address, { ...options, work })));
  }
  if (address.type === 'folder') return use(await openFolder(url));
  if (!isWeb) return use(await openArchiveFile(url));
  const client = openSourceClient(url);
  try {
    const open = address.type === 'registry' ? openRegistry : openArchive;
    return await use(await open(url, { ...options, client }));
  } finally {
    await client.close();
  }
}

/** Temporary folders older than this were left behind by a killed process. In milliseconds. */
const abandonedAfterMs = 3_600_000;

async function withWorkFolder<T>(folder: string, use: (work: string) => Promise<T>): Promise<T> {
  const staging = stagingFolder(folder);
  makeFolder(staging);
  for (const name of await readdir(staging)) {
    const path = join(staging, name);
    const info = name.startsWith('work-') ? await stat(path).catch(() => undefined) : undefined;
    if (info && Date.now() - info.mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
  const work = await mkdtemp(join(staging, 'work-'));
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openRepository(
  address: GitAddress,
  { state, work }: OpenOptions & { work: string },
): Promise<Outcome<SourceTree>> {
  const tip = await findTip(address);
  if (!tip.ok) return tip;
  if (state?.isComplete === true && state.revision === tip.value.oid) return unchanged(state);
  const tree = await fetchTree(tip.value, { folder: work });
  if (!tree.ok) return tree;
  const { address: found } = tip.value;
  return chooseFiles(tree.value, { address: found, path: found.path, name: nameOf(found.url) });
}

async function openFolder(url: string): Promise<Outcome<SourceTree>> {
  const tree = await readFolder(url);
  return tree.ok ? chooseFiles(tree.value, { address: { type: 'folder', url }, name: nameOf(url) }) : tree;
}

async function openArchiveFile(url: string): Promise<Outcome<SourceTree>> {
  const info = await stat(url).catch(() => undefined);
  if (!info?.isFile()) return refuse('SRC019', `no file ${url}`, { hint: 'Check the path.' });
  if (info.size > sourceLimits.archiveBytes) {
    return { ok: false, finding: overLimit(url, { size: info.size, limit: sourceLimits.archiveBytes }) };
  }
  return filesOfArchive(await readFile(url), { url });
}

type WebOptions = OpenOptions & { client: SourceClient };

async function openArchive(url: string, { client, state }: WebOptions): Promise<Outcome<SourceTree>> {
  const known = state?.isComplete === true ? state : undefined;
  const answer = await client.get(url, { maxBytes: sourceLimits.archiveBytes, validators: known?.validators });
  if (answer.status === 'read') return filesOfArchive(answer.bytes, { url, validators: answer.validators });
  const isSame = answer.status === 'failed' && answer.notModified !== undefined;
  return isSame && known !== undefined ? unchanged(known) : { ok: false, finding: answer.finding };
}

async function filesOfArchive(
  bytes: Uint8Array,
  { url, validators = {} }: { url: string; validators?: Validators },
): Promise<Outcome<SourceTree>> {
  const name = nameOf(url);
  const tree = await readArchive(bytes, { name });
  return tree.ok ? chooseFiles(tree.value, { address: { type: 'archive', url }, name, validators }) : tree;
}

/** Reads a registry from the web. Its files are relative to its URL (RFC 3986 5.1.3). */
async function openRegistry(url: string, { client, state }: WebOptions): Promise<Outcome<SourceTree>> {
  // Without the stored registry, it has to be sent again.
  const known = state?.registry === null ? undefined : state;
  const answer = await client.get(url, { maxBytes: sourceLimits.registryBytes, validators: known?.validators });
  const isRead = answer.status === 'read';
  const answeredBy = isRead ? answer.url : answer.status === 'failed' ? answer.notModified : undefined;
  if (!isRead && (answeredBy === undefined || known === undefined)) return { ok: false, finding: answer.finding };
  const text = isRead ? new TextDecoder().decode(answer.bytes) : JSON.stringify(known?.registry);
  const { origin, pathname } = new URL(url);
  // Without the query, which may contain a key.
  const read = readRegistry(text, `${origin}${pathname}`);
  if (!read.ok) return read;
  const { baseDir, version, document, ...registry } = read.value;
  const base = baseOf(answeredBy ?? url, baseDir);
  return {
    ok: true,
    value: {
      ...registry,
      address: { type: 'registry', url },
      revision: version,
      registry: document,
      validators: (isRead ? answer.validators : known?.validators) ?? {},
      read: (path) => client.get(new URL(`./${encodedPath(path)}`, base).href, { maxBytes: sourceLimits.fileBytes }),
    },
  };
}

/** The folder of the registry plus `baseDir`, unless the registry is already in that folder. */
function baseOf(registryUrl: string, baseDir: string): URL {
  const folder = new URL('.', registryUrl);
  const isInside = baseDir === '' || folder.pathname.endsWith(`/${encodedPath(baseDir)}/`);
  return isInside ? folder : new URL(`${encodedPath(baseDir)}/`, folder);
}

function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** The files of the previous import, none of which is missing. */
function unchanged({ address, revision, registry, validators, files }: SourceState): Outcome<SourceTree> {
  const current = [...files].filter(([, { removed }]) => removed !== true);
  const value: SourceTree = {
    ...{ address, name: '', revision, registry, validators, refused: [], findings: [] },
    files: current.map(([path, { kind, sha256 }]) => ({ path, kind, sha256 })),
    async read(path) {
      // Another process has removed it.
      return { status: 'failed', finding: sourceFinding('SRC002', `${path} was removed`, { hint: 'Try again.' }) };
    },
  };
  return { ok: true, value };
}

/** The name of `https://example.com/sea/tides.git` is `tides`. That of `tides/schemas` is, too: `schemas` is the project's own folder. */
function nameOf(url: string): string {
  const parts = url.replace(/[?#].*$/, '').split(/[\\/:]/);
  const names = parts.map((part) => part.replace(/\.(git|tar\.gz|tgz)$/i, '')).filter((name) => name !== '');
  return names.findLast((name) => name !== ownSource) ?? '';
}
