import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { branchProblem, type GitAddress } from './source-address.ts';
import { type Outcome, refuse } from './source-codes.ts';
import type { SourceLimits } from './source-options.ts';
import type { ListedTree, TreeEntry } from './source-tree.ts';

/** What a repository has at an address. */
export interface GitTip {
  /** The commit, or the tag of it. */
  oid: string;
  /** What to fetch. */
  ref: string;
  /** With branch and folder apart. */
  address: GitAddress;
}

/** Asks a repository what is at an address, without fetching it. */
export async function findTip(address: GitAddress, { signal }: { signal: AbortSignal }): Promise<Outcome<GitTip>> {
  const { url, branch, tree } = address;
  const listing = await runGit(['ls-remote', '--quiet', '--', url], { url, signal, timeoutMs: 60_000 });
  if (!listing.ok) return listing;
  const refs = new Map(
    listing.value
      .toString('utf8')
      .split('\n')
      .map((line): [string, string] => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
  const wanted = branch ?? tree;
  const tip = wanted === undefined ? tipAt(refs, 'HEAD') : namedTip(refs, wanted, { isWhole: branch !== undefined });
  if (tip !== undefined) return { ok: true, value: { ...tip, address: withNames(address, tip) } };
  const message = wanted === undefined ? `${url} is empty` : `${url} has no branch, tag or commit for ${wanted}`;
  const branches = [...refs.keys()].flatMap((ref) => (/^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? []) as string | []);
  const hint =
    branches.length === 0 ? 'Push something first.' : `It has the branches ${branches.slice(0, 10).join(', ')}.`;
  return refuse('SRC002', message, { hint });
}

interface NamedTip {
  oid: string;
  ref: string;
  /** Empty for the default branch. */
  name: string;
  /** What is left of the text behind the name. */
  rest: string;
}

/** The longest name that the text begins with: `feature/x/schemas` may be the branch `feature/x`. */
function namedTip(
  refs: ReadonlyMap<string, string>,
  text: string,
  { isWhole }: { isWhole: boolean },
): NamedTip | undefined {
  const parts = text.split('/');
  const lengths = isWhole ? [parts.length] : parts.map((_, index) => parts.length - index);
  for (const length of lengths) {
    const name = parts.slice(0, length).join('/');
    const rest = parts.slice(length).join('/');
    const found = tipAt(refs, `refs/heads/${name}`) ?? tipAt(refs, `refs/tags/${name}`);
    if (found !== undefined) return { ...found, name, rest };
    if (isObjectId(name)) return { oid: name, ref: name, name, rest };
  }
  return undefined;
}

function tipAt(refs: ReadonlyMap<string, string>, ref: string): NamedTip | undefined {
  // `^{}` stands for the commit that an annotated tag is of.
  const oid = refs.get(`${ref}^{}`) ?? refs.get(ref);
  return oid !== undefined && isObjectId(oid) ? { oid, ref, name: '', rest: '' } : undefined;
}

function isObjectId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function withNames({ url, branch, path }: GitAddress, { name, rest }: NamedTip): GitAddress {
  const folder = path ?? (rest === '' ? undefined : rest);
  const wanted = branch ?? (name === '' ? undefined : name);
  return {
    type: 'git',
    url,
    ...(wanted !== undefined && { branch: wanted }),
    ...(folder !== undefined && { path: folder }),
  };
}

/**
 * Fetches one commit, without its history, into a bare repository, and reads its tree. Nothing is checked out: no link, filter
 * or hook of the repository comes into play, and no path of it reaches the disk.
 *
 * @param options.folder - An empty folder for the repository.
 */
export async function fetchTree(
  { oid, ref, address: { url } }: GitTip,
  { folder, limits, signal }: { folder: string; limits: SourceLimits; signal: AbortSignal },
): Promise<Outcome<ListedTree>> {
  if (ref !== 'HEAD' && branchProblem(ref) !== undefined) {
    return refuse('SRC001', `${JSON.stringify(ref)} is no name of a branch`);
  }
  const format = oid.length === 64 ? ['--object-format=sha256'] : [];
  const made = await runGit(['init', '--quiet', '--bare', ...format, '--', folder], { url, signal });
  if (!made.ok) return made;
  const tooLarge = new AbortController();
  const watch = setInterval(async () => {
    if ((await sizeOf(folder)) > limits.unpackedBytes) tooLarge.abort();
  }, 500);
  try {
    const either = AbortSignal.any([signal, tooLarge.signal]);
    const fetch = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    const run = await runGit([...fetch, '--', url, `+${ref}:refs/source/tip`], { url, folder, signal: either });
    if (!run.ok) return run;
  } catch (error) {
    if (signal.aborted || !tooLarge.signal.aborted) throw error;
    const message = `${url} is larger than ${limits.unpackedBytes} bytes`;
    return refuse('SRC006', message, { hint: 'Import a registry or an archive instead.' });
  } finally {
    clearInterval(watch);
  }
  return readTree(url, { folder, signal });
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return infos.reduce((sum, info) => sum + (info?.size ?? 0), 0);
}

async function readTree(
  url: string,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<Outcome<ListedTree>> {
  const options = { url, folder, signal };
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
  const read: ListedTree['read'] = async (paths) => {
    const wanted = paths.flatMap((path) => {
      const entry = entries.get(path);
      return entry?.kind === 'file' ? [{ path, oid: entry.oid }] : [];
    });
    const input = [...new Set(wanted.map(({ oid }) => `${oid}\n`))].join('');
    const batch = await runGit(['cat-file', '--batch'], { ...options, input, maxBytes: 2 ** 30 });
    const blobs = batch.ok ? blobsIn(batch.value) : new Map<string, Uint8Array>();
    const contents = new Map<string, Uint8Array>();
    for (const { path, oid } of wanted) {
      const bytes = blobs.get(oid);
      if (bytes !== undefined) contents.set(path, bytes);
    }
    return contents;
  };
  return { ok: true, value: { revision, entries, read } };
}

/** Modes of git: 100644 and 100755 files, 120000 links, 160000 submodules. */
function kindOf(mode: string): TreeEntry['kind'] {
  if (mode.startsWith('100')) return 'file';
  return mode === '120000' ? 'link' : 'other';
}

/** Contents by object id, as `git cat-file --batch` writes them: a line `<oid> blob <size>`, the bytes, a line break. */
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

/** What git said, as something that a user can act on. */
function gitFailure(url: string, stderr: string): Outcome<never> {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  // Advice stands below the reasons, and is for those who ran git themselves.
  const reasons = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  const said = (reasons.length > 0 ? reasons : lines).slice(0, 3).join(' ').slice(0, 500);
  return refuse('SRC002', `git cannot read ${url}: ${said || 'it gave no reason'}`, { hint: gitHint(said) });
}

function gitHint(said: string): string {
  if (/ENOENT/.test(said)) return 'Install git, or import an archive (.tar.gz).';
  if (/redirect/i.test(said)) return 'The repository has moved: name its new address.';
  if (
    /could not read Username|terminal prompts disabled|Authentication failed|Permission denied|not found/i.test(said)
  ) {
    return 'Check the address. A private repository needs a login that git finds by itself.';
  }
  if (/host key/i.test(said)) return 'Connect to the host with ssh once, to confirm its key.';
  if (/dubious ownership/i.test(said)) return 'The repository belongs to another user of this machine.';
  return 'Check the address, and whether git itself can read it.';
}

interface GitOptions {
  /** Of the repository, for messages. */
  url: string;
  /** Folder of the repository. */
  folder?: string;
  signal: AbortSignal;
  /** What git reads from its input. */
  input?: string;
  /** Largest output, in bytes. Default 64 MiB. */
  maxBytes?: number;
  /** Default ten minutes. */
  timeoutMs?: number;
}

/** Settings for one run: nothing that a repository or a template brings is run, and nobody is sent elsewhere. */
const settings = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=30',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'init.templateDir=',
  'color.ui=false',
].flatMap((setting) => ['-c', setting]);

/** Variables that would lead git to another repository (git rev-parse --local-env-vars). */
const repositoryVariables =
  /^GIT_(ALTERNATE_OBJECT_DIRECTORIES|CONFIG|OBJECT_DIRECTORY|DIR|WORK_TREE|IMPLICIT_WORK_TREE|GRAFT_FILE|INDEX_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|PREFIX|SHALLOW_FILE|COMMON_DIR|NAMESPACE|TRACE.*)$/;

/**
 * Runs git without a shell, and without anyone to ask: what would prompt fails. The user's own settings hold, among them the
 * helpers that keep passwords. Rejects only with the reason of the signal.
 *
 * @param args - An address stands behind `--`.
 * @returns what git wrote to its output.
 */
async function runGit(args: readonly string[], options: GitOptions): Promise<Outcome<Buffer>> {
  const { url, folder, signal, input = '', maxBytes = 64 * 2 ** 20, timeoutMs = 600_000 } = options;
  signal.throwIfAborted();
  const child = spawn('git', [...settings, ...args], {
    ...(folder !== undefined && { cwd: folder }),
    env: environment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: no terminal to prompt at, and its children end with it.
    detached: true,
    windowsHide: true,
  });
  let problem: string | undefined;
  const stop = (reason?: string) => {
    problem ??= reason;
    killGroup(child.pid);
  };
  const end = () => stop();
  const timer = setTimeout(() => stop(`git was not done after ${timeoutMs / 1000} seconds`), timeoutMs);
  process.once('exit', end);
  signal.addEventListener('abort', end);
  const output: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) stop('git said more than expected');
    else output.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < 4000) stderr += text;
  });
  child.stdin.on('error', () => {}); // It may end before it has read all; its status says whether that is bad.
  child.stdin.end(input);
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', ({ message }) => {
      problem = message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  process.off('exit', end);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (status === 0 && problem === undefined) return { ok: true, value: Buffer.concat(output) };
  return gitFailure(url, problem ?? stderr);
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !repositoryVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
