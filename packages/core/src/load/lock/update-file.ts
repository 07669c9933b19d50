import { randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { whileHolding } from './hold-file.ts';

/**
 * Reads a file, changes it and writes it, while no other process that does so with this function does. The file is replaced as
 * a whole, so that a reader never sees a part of it.
 *
 * @param change - Is given the text, undefined where there is no file. Gives the new text, or undefined to leave the file alone.
 * @param options.mode - Permissions of a file that is made; one that is there keeps its own. Default 0o666 less the umask.
 * @throws what `change` throws, and where the file cannot be read, held or written.
 */
export async function updateFile(
  path: string,
  change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
  { mode }: { mode?: number } = {},
): Promise<void> {
  await whileHolding(`${path}.held`, async (isHeld) => {
    const before = await textOf(path);
    const text = await change(before);
    if (text !== undefined && text !== before) await replaceFile(path, text, { isHeld, mode });
  });
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    // A pipe or a device would be waited for.
    if (!(await stat(path)).isFile()) throw new Error(`${path} is no regular file`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function replaceFile(
  path: string,
  text: string,
  { isHeld, mode }: { isHeld: () => Promise<boolean>; mode: number | undefined },
): Promise<void> {
  // A link stays one; its file is replaced.
  const file = await realpath(path).catch(() => path);
  const current = (await stat(file).catch(() => undefined))?.mode;
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', current ?? mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!(await isHeld())) throw new Error('another process took over while this one was stopped');
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
