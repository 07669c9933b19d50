import { schemaRoots } from '../groups/schema-roots.ts';
import { printFindings } from '../output/print-findings.ts';
import { openProgressLine } from '../output/progress-line.ts';
import type { Settings } from '../settings/read-settings.ts';
import { indexFilePath } from './index-file.ts';
import type { OnProgress } from './read-files.ts';
import { openToolIndex, type ToolIndex, type ToolIndexOptions } from './tool-index.ts';

/** Updates the index of all schemas that references can name, and uses it. Warnings and progress go to stderr. */
export async function withIndex<Result>(
  settings: Settings,
  use: (index: ToolIndex) => Promise<Result> | Result,
  { readAtMost, isQuiet = false }: Pick<ToolIndexOptions, 'readAtMost'> & { isQuiet?: boolean } = {},
): Promise<Result> {
  const folders = schemaRoots(settings);
  const { file, findings } = folders.length === 0 ? { findings: [] } : indexFilePath(JSON.stringify(folders));
  const index = await openToolIndex({
    ...{ file, folders, onProgress: isQuiet ? undefined : readingProgress() },
    ...(readAtMost !== undefined && { readAtMost }),
  });
  if (!isQuiet) printFindings([...findings, ...index.findings]);
  return use(index);
}

/** Before progress is shown, and between two updates, in milliseconds. */
const delayMs = 300;
const intervalMs = 100;

function readingProgress(): OnProgress {
  const line = openProgressLine();
  const start = Date.now();
  let shownAt = 0;
  return ({ done, total }) => {
    const now = Date.now();
    if (done === total) line.clear();
    else if (now - start >= delayMs && now - shownAt >= intervalMs) {
      shownAt = now;
      line.show(`Reading schemas: ${done} of ${total}`);
    }
  };
}
