import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Finding } from '@schemakit/core';
import { pathProblem } from './path-problem.ts';
import { readTar, type TarMember } from './read-tar.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-limits.ts';
import type { Tree } from './tree.ts';

const unzip = promisify(gunzip);

/** An archive of this size may always be made, however small it was sent: tar pads with zeros. In bytes. */
const alwaysAllowed = 2 ** 20;

/**
 * Reads an archive in memory: a tar file, compressed with gzip or not. Nothing is unpacked to disk. A folder that all of it is
 * in, such as `repository-1.0/`, is left out of the paths.
 */
export async function readArchive(
  bytes: Uint8Array,
  { limits, name }: { limits: SourceLimits; name: string },
): Promise<{ ok: true; value: Tree } | { ok: false; finding: Finding }> {
  const unpacked = await unpack(bytes, { limits, name });
  if (!unpacked.ok) return unpacked;
  const tar = readTar(unpacked.value);
  if (!tar.ok) return { ok: false, finding: unreadable(name, tar.reason) };
  const members = new Map(withoutTop(tar.members).map((member) => [member.path, member]));
  const entries = new Map(
    [...members].map(
      ([
        path,
        {
          kind,
          bytes: { length },
        },
      ]) => [path, { kind, bytes: length }],
    ),
  );
  const read: Tree['read'] = async (paths) =>
    new Map(
      paths.flatMap((path): [string, Uint8Array][] => {
        const member = members.get(path);
        return member?.kind === 'file' ? [[path, member.bytes]] : [];
      }),
    );
  return { ok: true, value: { revision: null, entries, read } };
}

type Unpacked = { ok: true; value: Uint8Array } | { ok: false; finding: Finding };

async function unpack(bytes: Uint8Array, { limits, name }: { limits: SourceLimits; name: string }): Promise<Unpacked> {
  // Some servers send archives as compressed tar files, which the client has unpacked.
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return { ok: true, value: bytes };
  const { unpackedBytes, expansion } = limits;
  const maxOutputLength = Math.min(unpackedBytes, Math.max(alwaysAllowed, bytes.length * expansion));
  try {
    return { ok: true, value: await unzip(bytes, { maxOutputLength }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') {
      return { ok: false, finding: unreadable(name, error instanceof Error ? error.message : String(error)) };
    }
    const message = `${name} has ${bytes.length} bytes, and more than ${maxOutputLength} once it is unpacked`;
    return { ok: false, finding: sourceFinding('SRC006', message, { hint: 'Nothing of it was used.' }) };
  }
}

function unreadable(name: string, reason: string): Finding {
  return sourceFinding('SRC017', `${name} cannot be unpacked: ${reason}`, { hint: 'Make it with tar -czf.' });
}

/** The folder is looked for among paths that lead somewhere; the others are refused under the names that they have. */
function withoutTop(members: readonly TarMember[]): TarMember[] {
  const named = members.map((member) => ({ ...member, path: member.path.replace(/^(\.\/)+/, '') }));
  const tops = new Set(
    named.filter(({ path }) => pathProblem(path) === undefined).map(({ path }) => path.split('/')[0]),
  );
  const [top] = tops;
  const prefix = tops.size === 1 && top !== undefined ? `${top}/` : '';
  const isFolder = named.every(({ path }) => path !== top);
  if (prefix === '' || !isFolder || /^_/.test(prefix)) return named;
  return named.map((member) =>
    member.path.startsWith(prefix) ? { ...member, path: member.path.slice(prefix.length) } : member,
  );
}
