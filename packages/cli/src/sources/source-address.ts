import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Outcome, refuse } from './source-codes.ts';

/** A repository, read with git. */
export interface GitAddress {
  type: 'git';
  /** What git is given. */
  url: string;
  /** A branch, a tag or a commit. Default: the branch that the repository names. */
  branch?: string;
  /** Folder in the repository. Default: all of it. */
  path?: string;
  /** From a web page: a branch and a folder behind it. Only the repository knows where one ends. */
  tree?: string;
}

/** Where a source is. `registry` is an address on the web; `folder` is an absolute path; an archive may be either. */
export type SourceAddress = GitAddress | { type: 'registry' | 'archive' | 'folder'; url: string };

/**
 * Reads what a user named as a source: the page of a repository on GitHub or GitLab, a URL that git knows (https, ssh, file),
 * an archive, a registry (`.json`), or a path.
 *
 * @param options.branch - A branch, a tag or a commit, for repositories.
 */
export function readAddress(text: string, { branch }: { branch?: string | undefined } = {}): Outcome<SourceAddress> {
  const named = text.trim();
  const problem = textProblem(named) ?? (branch === undefined ? undefined : branchProblem(branch));
  if (problem !== undefined) return refused(problem);
  const found = addressOf(named);
  if ('problem' in found) return refused(found.problem, found.hint);
  if (branch === undefined) return { ok: true, value: found };
  if (found.type !== 'git') return refused('only a repository has branches', 'Leave out the branch.');
  return { ok: true, value: withBranch(found, branch) };
}

/** What a user named, without a login that may stand in it: it is shown, and may be kept in logs. */
export function withoutLogin(text: string): string {
  return text.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

/** Whether two addresses are the same source. */
export function isSameAddress(left: SourceAddress, right: SourceAddress): boolean {
  return left.type === right.type && left.url === right.url && treeOf(left) === treeOf(right);
}

function treeOf(address: SourceAddress): string {
  if (address.type !== 'git') return '';
  const { branch = '', path, tree } = address;
  return tree ?? (path === undefined ? branch : `${branch}/${path}`);
}

interface Problem {
  problem: string;
  hint?: string;
}

const zipProblem: Problem = { problem: 'zip files are not read', hint: 'Name a .tar.gz, or the unpacked folder.' };

function addressOf(text: string): SourceAddress | Problem {
  // `git@host:path`, as git writes it for ssh.
  if (/^[\w][\w.-]*@[\w][\w.-]*:[^-\s:][^\s]*$/.test(text)) return { type: 'git', url: text };
  const url = /^[a-z]:[\\/]/i.test(text) ? null : URL.parse(text);
  if (url === null) return pathAddress(resolve(text));
  const { protocol, username, password, hostname } = url;
  if (protocol === 'file:') return fileAddress(url);
  if (!['https:', 'http:', 'ssh:'].includes(protocol)) {
    return { problem: `${protocol} is not a way to import`, hint: 'Use https, ssh, a file or a folder.' };
  }
  if (hostname === '' || hostname.startsWith('-') || username.startsWith('-')) {
    return { problem: 'the address names no host' };
  }
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) {
    const hint = 'Leave it out, and let git keep it: see "git help credentials".';
    return { problem: 'the address has a user name or a password in it, which would be written to disk', hint };
  }
  url.hash = '';
  return protocol === 'ssh:' ? { type: 'git', url: url.href } : webAddress(url);
}

function webAddress(url: URL): SourceAddress | Problem {
  const path = url.pathname.toLowerCase();
  if (path.endsWith('.tar.gz') || path.endsWith('.tgz')) return { type: 'archive', url: url.href };
  if (path.endsWith('.json')) return { type: 'registry', url: url.href };
  if (path.endsWith('.zip')) return zipProblem;
  url.search = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  const parts = url.pathname.slice(1).split('/');
  const dash = parts.indexOf('-');
  if (dash > 1 && parts[dash + 1] === 'tree') return pageAddress(url, { parts, at: dash, skip: 2 });
  if (/^(www\.)?github\.com$/.test(url.hostname)) return githubAddress(url, parts);
  if (url.hostname === 'gitlab.com' && parts.length > 1) return pageAddress(url, { parts, at: parts.length, skip: 0 });
  return { type: 'git', url: url.href };
}

function githubAddress(url: URL, parts: readonly string[]): SourceAddress | Problem {
  const [owner, repository, kind] = parts;
  const hint = 'Write https://github.com/<owner>/<repository>, with /tree/<branch>/<folder> behind it if needed.';
  if (!owner || !repository) return { problem: 'the address names no repository', hint };
  if (kind !== undefined && kind !== 'tree') return { problem: `a page of the kind "${kind}" is no source`, hint };
  url.hostname = 'github.com';
  return pageAddress(url, { parts, at: 2, skip: 1 });
}

/** A repository's own address, from one of its pages; GitLab sends requests without `.git` elsewhere. */
function pageAddress(
  { origin }: URL,
  { parts, at, skip }: { parts: readonly string[]; at: number; skip: number },
): SourceAddress | Problem {
  const repository = parts
    .slice(0, at)
    .join('/')
    .replace(/\.git$/, '');
  const address = { type: 'git', url: `${origin}/${repository}.git` } as const;
  const tree = parts.slice(at + skip).map(decoded);
  if (tree.some((part) => part === undefined || part === '' || part === '.' || part === '..')) {
    return { problem: 'the branch or the folder in the address cannot be read' };
  }
  const text = tree.join('/');
  const problem = text === '' ? undefined : branchProblem(text);
  if (problem !== undefined) return { problem };
  return text === '' ? address : { ...address, tree: text };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // The caller says what is wrong with it.
  }
}

function fileAddress(url: URL): SourceAddress | Problem {
  if (url.hostname !== '')
    return { problem: 'a file: address with a host is not read', hint: 'Name the path instead.' };
  try {
    const path = fileURLToPath(url);
    return /\.(tar\.gz|tgz)$/i.test(path) ? { type: 'archive', url: path } : { type: 'git', url: url.href };
  } catch {
    return { problem: 'the file: address is no path' };
  }
}

function pathAddress(path: string): SourceAddress | Problem {
  if (/\.zip$/i.test(path)) return zipProblem;
  return { type: /\.(tar\.gz|tgz)$/i.test(path) ? 'archive' : 'folder', url: path };
}

function withBranch(address: GitAddress, branch: string): GitAddress {
  const { tree, ...rest } = address;
  if (tree === undefined || tree === branch) return { ...rest, branch };
  // The page of another branch: the folder stays in question, the branch does not.
  return tree.startsWith(`${branch}/`) ? { ...rest, branch, path: tree.slice(branch.length + 1) } : { ...rest, branch };
}

function textProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.startsWith('-')) return 'it begins with a hyphen';
  if (text.length > 2000) return 'it is longer than 2,000 characters';
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? 'it has a character that cannot be seen' : undefined;
}

/** What git itself refuses in names (git-check-ref-format), and what it could take for an option. */
export function branchProblem(branch: string): string | undefined {
  const isName =
    /^[^-\s~^:?*[\\\p{Cc}][^\s~^:?*[\\\p{Cc}]*$/u.test(branch) &&
    !/\.\.|@\{|\/\/|\/\.|^[./]|\.lock(\/|$)|[./]$/.test(branch) &&
    branch.length <= 200;
  return isName ? undefined : `${JSON.stringify(branch)} is no name of a branch`;
}

function refused(
  problem: string,
  hint = 'Name a repository (https, ssh, file), a .tar.gz, a registry or a folder.',
): Outcome<never> {
  return refuse('SRC001', `this cannot be imported: ${problem}`, { hint });
}

/** Reads what a user named as a registry: an address on the web, whatever it ends in. */
export function registryAddress(text: string): Outcome<SourceAddress> {
  const address = readAddress(text);
  if (!address.ok) return address;
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || address.value.type === 'archive') {
    const hint = 'Folders, repositories and archives are imported with schemakit import.';
    return refuse('SRC001', 'a registry has an address on the web', { hint });
  }
  url.hash = '';
  return { ok: true, value: { type: 'registry', url: url.href } };
}
