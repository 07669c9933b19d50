import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, refuse } from './source-codes.ts';
import type { SourceLimits } from './source-options.ts';
import type { ListedTree, TreeEntry } from './source-tree.ts';

const fileHint = 'Name its folder, or a .tar.gz. A schema of your own goes into the folder schemas of the project.';

/** Reads a folder. Links are noted and never followed; hidden folders and `node_modules` are not looked into. */
export async function readFolder(
  folder: string,
  { limits, signal }: { limits: SourceLimits; signal: AbortSignal },
): Promise<Outcome<ListedTree>> {
  const info = await lstat(folder).catch(() => undefined);
  if (!info?.isDirectory()) {
    const [message, hint] =
      info === undefined ? [`there is no folder ${folder}`, 'Check the path.'] : [`${folder} is no folder`, fileHint];
    return refuse('SRC019', message, { hint });
  }
  const entries = new Map<string, TreeEntry>();
  // Folders have other files too; a count without an end would be a disk that was named by mistake.
  const most = limits.files * 20;
  for (const names = ['']; names.length > 0; ) {
    const below = names.pop() ?? '';
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      signal.throwIfAborted();
      const path = `${below}${entry.name}`;
      if (entry.isDirectory()) {
        if (!/^(\.|node_modules$)/.test(entry.name)) names.push(`${path}/`);
        continue;
      }
      const kind = entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other';
      entries.set(path, { kind, bytes: kind === 'file' ? (await lstat(join(folder, path))).size : 0 });
    }
    if (entries.size > most) {
      return refuse('SRC006', `${folder} has more than ${most} files`, { hint: 'Name the folder of the schemas.' });
    }
  }
  const read: ListedTree['read'] = async (paths) => {
    const files = new Map<string, Uint8Array>();
    for (const path of paths) {
      const bytes = await readRegular(join(folder, path));
      if (bytes !== undefined) files.set(path, bytes);
    }
    return files;
  };
  return { ok: true, value: { revision: null, entries, read } };
}

/** A file that became a link or a pipe since it was listed is not read. */
export async function readRegular(file: string): Promise<Uint8Array | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined; // Gone, a link, or not for us to read.
  }
}
