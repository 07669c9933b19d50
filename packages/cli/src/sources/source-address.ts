import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Outcome, refuse } from './source-codes.ts';

export interface GitAddress {
  type: 'git';
  url: string;
  /** A branch, tag or commit. Default: the default branch of the repository. */
  branch?: string;
  /** Folder in the repository. Default: its root. */
  path?: string;
  /** From the URL of a web page: a branch followed by a folder. Only the repository knows where the branch name ends. */
  tree?: string;
}

/** The address of a source. A registry has a URL, a folder an absolute path, an archive either. */
export type SourceAddress = GitAddress | { type: 'registry' | 'archive' | 'folder'; url: string };

/** Parses a page of GitHub or GitLab, a git URL (https, ssh, file), an archive, a registry (`.json`), or a path. */
export function readAddress(text: string, { branch }: { branch?: string | undefined } = {}): Outcome<SourceAddress> {
  const named = text.trim();
  const problem = textProblem(named) ?? (branch === undefined ? undefined : branchProblem(branch));
  if (problem !== undefined) return refused(problem);
  const found = addressOf(named);
  if (branch === undefined || !found.ok) return found;
  if (found.value.type !== 'git') return refused('only repositories have branches', 'Leave out --branch.');
  const { tree, ...address } = found.value;
  // Keep the folder of the page only if the page shows this branch.
  const path = tree?.startsWith(`${branch}/`) ? tree.slice(branch.length + 1) : undefined;
  return { ok: true, value: { ...address, branch, ...(path !== undefined && { path }) } };
}

/** Removes credentials from an address, for messages and logs. */
export function withoutLogin(text: string): string {
  return text.replace(/^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

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
    return refused(`unsupported protocol ${protocol}`, 'Use https, ssh, a file or a folder.');
  }
  if (hostname === '' || hostname.startsWith('-') || username.startsWith('-')) {
    return refused('the address has no host');
  }
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) {
    const hint = 'Remove them and store them in git: see "git help credentials".';
    return refused('the address contains credentials, which would be written to disk', hint);
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
    const hint = 'Write https://github.com/<owner>/<repository>, optionally followed by /tree/<branch>/<folder>.';
    if (!owner || !repository) return refused('the address has no repository', hint);
    if (kind !== undefined && kind !== 'tree') return refused(`a "${kind}" page is not a source`, hint);
    url.hostname = 'github.com';
    return pageAddress(url, [owner, repository], tree);
  }
  if (url.hostname === 'gitlab.com' && parts.length > 1) return pageAddress(url, parts, []);
  return found({ type: 'git', url: url.href });
}

/** The clone URL for a web page. It ends in `.git`, because GitLab redirects other URLs. */
function pageAddress({ origin }: URL, repository: readonly string[], page: readonly string[]): Outcome<SourceAddress> {
  const address = { type: 'git', url: `${origin}/${repository.join('/').replace(/\.git$/, '')}.git` } as const;
  if (page.length === 0) return found(address);
  const parts = page.map(decoded);
  if (parts.some((part) => part === undefined || part === '' || part === '.' || part === '..')) {
    return refused('the branch or folder in the address is invalid');
  }
  const tree = parts.join('/');
  const problem = branchProblem(tree);
  return problem === undefined ? found({ ...address, tree }) : refused(problem);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // The caller reports it.
  }
}

function fileAddress(url: URL): Outcome<SourceAddress> {
  if (url.hostname !== '') return refused('file: URLs with a host are not supported', 'Use the path.');
  try {
    const path = fileURLToPath(url);
    return found(isTar(path) ? { type: 'archive', url: path } : { type: 'git', url: url.href });
  } catch {
    return refused('the file: URL is not a valid path');
  }
}

function textProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.startsWith('-')) return 'it begins with a hyphen';
  if (text.length > 2000) return 'it is longer than 2,000 characters';
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? 'it contains an invisible character' : undefined;
}

/** Checks a name by the rules of git (git-check-ref-format); it must not look like an option. */
export function branchProblem(branch: string): string | undefined {
  const isName =
    /^[^-\s~^:?*[\\\p{Cc}][^\s~^:?*[\\\p{Cc}]*$/u.test(branch) &&
    !/\.\.|@\{|\/\/|\/\.|^[./]|\.lock(\/|$)|[./]$/.test(branch) &&
    branch.length <= 200;
  return isName ? undefined : `${JSON.stringify(branch)} is not a valid branch name`;
}

function refused(
  problem: string,
  hint = 'Use a repository (https, ssh, file), a .tar.gz, a registry or a folder.',
): Outcome<never> {
  return refuse('SRC001', `cannot import this: ${problem}`, { hint });
}

const refusedZip = refused('zip files are not supported', 'Use a .tar.gz, or the unpacked folder.');

/** Parses the URL of a registry, whatever it ends in. */
export function registryAddress(text: string): Outcome<SourceAddress> {
  const address = readAddress(text);
  if (!address.ok) return address;
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || address.value.type === 'archive') {
    const hint = 'Import folders, repositories and archives with schemakit import.';
    return refuse('SRC001', 'a registry must have an http or https URL', { hint });
  }
  url.hash = '';
  return { ok: true, value: { type: 'registry', url: url.href } };
}
