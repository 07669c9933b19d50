import { schemaRoots } from '../groups/schema-roots.ts';
import { printFindings } from '../output/print-findings.ts';
import { openProgressLine } from '../output/progress-line.ts';
import type { Settings } from '../settings/read-settings.ts';
import { indexFilePath } from './index-file.ts';
import type { OnProgress } from './read-files.ts';
import type { SearchOptions, SearchResult } from './search-tools.ts';
import { openToolIndex, openToolSearch, type ToolIndex, type ToolIndexOptions } from './tool-index.ts';

/** Updates the index of all schemas that references can name, and uses it. Warnings and progress go to stderr. */
export async function withIndex<Result>(
  settings: Settings,
  use: (index: ToolIndex) => Promise<Result> | Result,
  options: OpenOptions = {},
): Promise<Result> {
  return use(await openFor(settings, openToolIndex, options));
}

/** Searches all schemas that references can name, as {@link withIndex}. */
export async function searchSchemas(query: string, settings: Settings, options: SearchOptions): Promise<SearchResult> {
  return (await openFor(settings, openToolSearch)).search(query, options);
}

interface OpenOptions extends Pick<ToolIndexOptions, 'readAtMost'> {
  isQuiet?: boolean;
}

async function openFor<Opened extends Pick<ToolIndex, 'findings'>>(
  settings: Settings,
  open: (options: ToolIndexOptions) => Promise<Opened>,
  { isQuiet = false, ...limits }: OpenOptions = {},
): Promise<Opened> {
  const folders = schemaRoots(settings);
  const { allowedLibraries } = settings.home;
  // Allowing a library changes which schemas can be used.
  const key = JSON.stringify(allowedLibraries.size === 0 ? folders : [folders, ...allowedLibraries]);
  const { file, findings } = folders.length === 0 ? { findings: [] } : indexFilePath(key);
  const opened = await open({ file, folders, onProgress: isQuiet ? undefined : readingProgress(), ...limits });
  if (!isQuiet) printFindings([...findings, ...opened.findings]);
  return opened;
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
