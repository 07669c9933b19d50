import { join } from 'node:path';
import { schemaRoots } from '../groups/schema-roots.ts';
import { printFindings } from '../print-findings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { makeCacheFolder } from '../settings/settings-paths.ts';
import { indexFinding } from './index-codes.ts';
import { checksumOf } from './index-file.ts';
import type { OnProgress } from './read-files.ts';
import { openToolIndex, type ToolIndex, type ToolIndexOptions } from './tool-index.ts';

/**
 * Uses the index of all schemas that references can name, brought up to date first. What hinders it goes to stderr, and so does the
 * progress of the reading, at a terminal.
 */
export async function withIndex<Result>(
  settings: Settings,
  use: (index: ToolIndex) => Promise<Result> | Result,
  { readAtMost, isQuiet = false }: Pick<ToolIndexOptions, 'readAtMost'> & { isQuiet?: boolean } = {},
): Promise<Result> {
  const folders = schemaRoots(settings);
  const { file, findings } = folders.length === 0 ? { findings: [] } : indexPlace(JSON.stringify(folders));
  const index = await openToolIndex({
    ...{ file, folders, onProgress: isQuiet ? undefined : readingProgress() },
    ...(readAtMost !== undefined && { readAtMost }),
  });
  if (!isQuiet) printFindings([...findings, ...index.findings]);
  return use(index);
}

/** The file of an index in the cache. Keys that share one by chance replace each other's: what it says is compared with the files. */
export function indexPlace(key: string): { file?: string; findings: ReturnType<typeof indexFinding>[] } {
  try {
    return {
      file: join(makeCacheFolder('index'), `${checksumOf(key).toString(16).padStart(8, '0')}.jsonl`),
      findings: [],
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { findings: [indexFinding('IDX001', `the index cannot be used: ${reason}`)] };
  }
}

/** A reading that is over before a person would notice shows nothing. Milliseconds. */
const patience = 300;
const interval = 100;

/** Shows at a terminal how many schemas were read, in one line of stderr that is gone at the end. Undefined elsewhere. */
function readingProgress({ stream = process.stderr }: { stream?: NodeJS.WriteStream } = {}): OnProgress | undefined {
  if (stream.isTTY !== true) return undefined;
  const begun = Date.now();
  let shownAt = 0;
  let shown = '';
  return ({ done, total }) => {
    const now = Date.now();
    if (done === total) {
      // Blanks instead of control sequences: every terminal understands them.
      stream.write(shown === '' ? '' : `\r${' '.repeat(shown.length)}\r`);
    } else if (now - begun >= patience && now - shownAt >= interval) {
      shownAt = now;
      shown = `Reading schemas: ${done} of ${total}`;
      stream.write(`\r${shown}`);
    }
  };
}
