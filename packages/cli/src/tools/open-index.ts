import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { printFindings } from '../print-findings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { openToolIndex, type ToolIndex } from '../tool-index/index.ts';
import { readingProgress } from './reading-progress.ts';
import { schemaRoots } from './schema-roots.ts';
import { textHash } from './text-hash.ts';

/**
 * Opens the index of all schemas that references can name, in the global folder, and brings it up to date first. What hinders it
 * goes to stderr, and so does the progress of the reading, at a terminal.
 */
async function openIndex(settings: Settings): Promise<ToolIndex> {
  const index = await openToolIndex({ ...indexPlace(settings), onProgress: readingProgress() });
  printFindings(index.findings);
  return index;
}

/** Uses the index, and closes it. */
export async function withIndex<Result>(
  settings: Settings,
  use: (index: ToolIndex) => Promise<Result>,
): Promise<Result> {
  const index = await openIndex(settings);
  try {
    return await use(index);
  } finally {
    index.close();
  }
}

/**
 * The folders of schemas, and the file of their index: each set of folders has its own. Where there is no global folder there is no
 * file: commands do not make one by the way.
 */
export function indexPlace(settings: Settings): Pick<Parameters<typeof openToolIndex>[0], 'file' | 'folders'> {
  const folders = schemaRoots(settings);
  const { folder } = settings.places.home;
  if (!existsSync(folder)) return { folders };
  return { file: join(folder, 'index', `${textHash(JSON.stringify(folders))}.sqlite`), folders };
}
