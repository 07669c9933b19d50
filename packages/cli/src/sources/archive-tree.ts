import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { reasonOf } from '../output/terminal-text.ts';
import { pathProblem } from './path-problem.ts';
import { type Outcome, refuse } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import type { ListedTree, TreeEntry } from './source-tree.ts';

const unzip = promisify(gunzip);

/** Unpacked size that is allowed whatever the ratio, because tar pads with zeros. In bytes. */
const alwaysAllowed = 2 ** 20;

/** Reads a tar file, optionally gzipped, in memory. A common top folder such as `repository-1.0/` is removed from the paths. */
export async function readArchive(bytes: Uint8Array, { name }: { name: string }): Promise<Outcome<ListedTree>> {
  const { unpackedBytes, expansion } = sourceLimits;
  const maxOutputLength = Math.min(unpackedBytes, Math.max(alwaysAllowed, bytes.length * expansion));
  let members: Member[];
  try {
    // Some servers send the archive with a content encoding, which the HTTP client has already decoded.
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    members = await readMembers(isCompressed ? await unzip(bytes, { maxOutputLength }) : bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      const message = `${name} unpacks from ${bytes.length} bytes to more than ${maxOutputLength}`;
      return refuse('SRC006', message, { hint: 'Nothing was imported.' });
    }
    return refuse('SRC017', `cannot unpack ${name}: ${reasonOf(error)}`, { hint: 'Create it with tar -czf.' });
  }
  const byPath = new Map(withoutTop(members).map((member) => [member.path, member]));
  const read: ListedTree['read'] = async (paths) => {
    const wanted = paths.flatMap((path) => byPath.get(path) ?? []);
    return new Map(wanted.filter(({ kind }) => kind === 'file').map(({ path, content }) => [path, content]));
  };
  return { ok: true, value: { revision: null, entries: byPath, read } };
}

interface Member extends TreeEntry {
  path: string;
  content: Uint8Array;
}

/** The members except folders. @throws if the tar file is invalid or truncated. */
async function readMembers(tar: Uint8Array): Promise<Member[]> {
  const entries = await unpackTar(tar, { strict: true });
  return entries.flatMap(({ header: { name, type = 'file' }, data: content = new Uint8Array() }) => {
    if (type === 'directory') return [];
    const kind = type === 'file' ? 'file' : /link$/.test(type) ? 'link' : 'other';
    return [{ path: name.replace(/^(\.\/)+/, ''), kind, bytes: content.length, content }];
  });
}

/** Removes the common top folder. Invalid paths do not count; they are refused later, unchanged. */
function withoutTop(members: readonly Member[]): readonly Member[] {
  const usable = members.filter(({ path }) => pathProblem(path) === undefined);
  const tops = new Set(usable.map(({ path }) => path.split('/')[0]));
  const [top] = tops;
  const isFolder = members.every(({ path }) => path !== top);
  if (tops.size !== 1 || top === undefined || !isFolder || top.startsWith('_')) return members;
  const prefix = `${top}/`;
  return members.map((member) =>
    member.path.startsWith(prefix) ? { ...member, path: member.path.slice(prefix.length) } : member,
  );
}
