import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, refuse } from './source-codes.ts';
import { sourceLimits } from './source-options.ts';
import type { ListedTree, TreeEntry } from './source-tree.ts';

const fileHint = 'Import its folder, or a .tar.gz. Your own schemas go into the folder schemas of the project.';

/** Lists a folder. Links are listed but never followed; hidden folders and `node_modules` are skipped. */
export async function readFolder(folder: string): Promise<Outcome<ListedTree>> {
  const info = await lstat(folder).catch(() => undefined);
  if (!info?.isDirectory()) {
    const [message, hint] =
      info === undefined ? [`no folder ${folder}`, 'Check the path.'] : [`${folder} is not a folder`, fileHint];
    return refuse('SRC019', message, { hint });
  }
  const entries = new Map<string, TreeEntry>();
  // Other files count too: more of them suggest a wrong path, such as a whole disk.
  const most = sourceLimits.files * 20;
  for (const names = ['']; names.length > 0; ) {
    const below = names.pop() ?? '';
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = `${below}${entry.name}`;
      if (entry.isDirectory()) {
        if (!/^(\.|node_modules$)/.test(entry.name)) names.push(`${path}/`);
        continue;
      }
      const kind = entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other';
      entries.set(path, { kind, bytes: kind === 'file' ? (await lstat(join(folder, path))).size : 0 });
    }
    if (entries.size > most) {
      return refuse('SRC006', `${folder} has more than ${most} files`, {
        hint: 'Import only the folder with the schemas.',
      });
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

/** Reads a regular file, unless it has become a link or a pipe since it was listed. */
export async function readRegular(file: string): Promise<Uint8Array | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined; // Removed, a link, or not readable.
  }
}
