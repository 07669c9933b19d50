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
  if (branch === undefined || !found.ok) return found;
  if (found.value.type !== 'git') return refused('only a repository has branches', 'Leave out the branch.');
  const { tree, ...address } = found.value;
  // The page of a branch names a folder behind it; that of another branch none.
  const path = tree?.startsWith(`${branch}/`) ? tree.slice(branch.length + 1) : undefined;
  return { ok: true, value: { ...address, branch, ...(path !== undefined && { path }) } };
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

function addressOf(text: string): Outcome<SourceAddress> {
  // `git@host:path`, as git writes it for ssh.
  if (/^[\w][\w.-]*@[\w][\w.-]*:[^-\s:][^\s]*$/.test(text)) return found({ type: 'git', url: text });
  const url = /^[a-z]:[\\/]/i.test(text) ? null : URL.parse(text);
  if (url === null) {
    const path = resolve(text);
    return isZip(path) ? refusedZip : found({ type: isTar(path) ? 'archive' : 'folder', url: path });
  }
  const { protocol, username, password, hostname } = url;
  if (protocol === 'file:') return fileAddress(url);
  if (!['https:', 'http:', 'ssh:'].includes(protocol)) {
    return refused(`${protocol} is not a way to import`, 'Use https, ssh, a file or a folder.');
  }
  if (hostname === '' || hostname.startsWith('-') || username.startsWith('-')) {
    return refused('the address names no host');
  }
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) {
    const hint = 'Leave it out, and let git keep it: see "git help credentials".';
    return refused('the address has a user name or a password in it, which would be written to disk', hint);
  }
  url.hash = '';
  return protocol === 'ssh:' ? found({ type: 'git', url: url.href }) : webAddress(url);
}

function found(value: SourceAddress): Outcome<SourceAddress> {
  return { ok: true, value };
}

function isTar(path: string): boolean {
  return /\.(tar\.gz|tgz)$/i.test(path);
}

function isZip(path: string): boolean {
  return /\.zip$/i.test(path);
}

function webAddress(url: URL): Outcome<SourceAddress> {
  if (isTar(url.pathname)) return found({ type: 'archive', url: url.href });
  if (/\.json$/i.test(url.pathname)) return found({ type: 'registry', url: url.href });
  if (isZip(url.pathname)) return refusedZip;
  url.search = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  const parts = url.pathname.slice(1).split('/');
  const dash = parts.indexOf('-');
  if (dash > 1 && parts[dash + 1] === 'tree') return pageAddress(url, parts.slice(0, dash), parts.slice(dash + 2));
  if (/^(www\.)?github\.com$/.test(url.hostname)) {
    const [owner, repository, kind, ...tree] = parts;
    const hint = 'Write https://github.com/<owner>/<repository>, with /tree/<branch>/<folder> behind it if needed.';
    if (!owner || !repository) return refused('the address names no repository', hint);
    if (kind !== undefined && kind !== 'tree') return refused(`a page of the kind "${kind}" is no source`, hint);
    url.hostname = 'github.com';
    return pageAddress(url, [owner, repository], tree);
  }
  if (url.hostname === 'gitlab.com' && parts.length > 1) return pageAddress(url, parts, []);
  return found({ type: 'git', url: url.href });
}

/** A repository's own address, from one of its pages; GitLab sends requests without `.git` elsewhere. */
function pageAddress({ origin }: URL, repository: readonly string[], page: readonly string[]): Outcome<SourceAddress> {
  const address = { type: 'git', url: `${origin}/${repository.join('/').replace(/\.git$/, '')}.git` } as const;
  if (page.length === 0) return found(address);
  const parts = page.map(decoded);
  if (parts.some((part) => part === undefined || part === '' || part === '.' || part === '..')) {
    return refused('the branch or the folder in the address cannot be read');
  }
  const tree = parts.join('/');
  const problem = branchProblem(tree);
  return problem === undefined ? found({ ...address, tree }) : refused(problem);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // The caller says what is wrong with it.
  }
}

function fileAddress(url: URL): Outcome<SourceAddress> {
  if (url.hostname !== '') return refused('a file: address with a host is not read', 'Name the path instead.');
  try {
    const path = fileURLToPath(url);
    return found(isTar(path) ? { type: 'archive', url: path } : { type: 'git', url: url.href });
  } catch {
    return refused('the file: address is no path');
  }
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

const refusedZip = refused('zip files are not read', 'Name a .tar.gz, or the unpacked folder.');

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
