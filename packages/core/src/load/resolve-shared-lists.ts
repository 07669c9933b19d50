import { checkArguments } from '../format/arguments.ts';
import { checkResult } from '../format/check-result.ts';
import type { Finding } from '../format/finding.ts';
import { readListReferences } from '../format/rules/requirements.ts';
import { readSharedLists, type SharedLists } from './shared-lists.ts';

export interface ResolvedSharedLists {
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** List name to entries, filtered as the reference says. */
  sharedLists: SharedLists;
}

/** Reads list files from a folder (specification 4.4). A reference is a name, or `{ ref, version, filter }`. */
export async function resolveSharedLists({
  sharedListRefs,
  listsDir,
}: {
  sharedListRefs: readonly unknown[];
  listsDir: string;
}): Promise<ResolvedSharedLists> {
  const problems = checkArguments(
    'resolveSharedLists',
    { sharedListRefs, listsDir },
    { sharedListRefs: 'array', listsDir: 'text' },
  );
  if (problems.length > 0) return { ...checkResult(problems), sharedLists: {} };
  const findings: Finding[] = [];
  const references = readListReferences({ sharedLists: sharedListRefs }, (finding) => findings.push(finding));
  const { sharedLists, findings: missing } = await readSharedLists(references, listsDir);
  const result = checkResult([...findings, ...missing]);
  return { ...result, sharedLists: result.status ? sharedLists : {} };
}
