import { groupReference } from '../groups/references.ts';
import { schemaRoots } from '../groups/schema-roots.ts';
import { withIndex } from '../index/open-index.ts';
import type { SearchHit, SearchResult } from '../index/tool-index.ts';
import { openSecrets, openSettings } from '../open-settings.ts';
import type { CommandResult } from '../output/command-result.ts';
import { shellWord } from '../output/shell-word.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import type { Settings } from '../settings/read-settings.ts';

/** `schemakit search <words>`: finds tools by keywords, the best first. */
export async function search({ limit }: { limit: number }, ...words: string[]): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const available = Object.keys(openSecrets(settings));
  const found = await withIndex(settings, (index) => index.search(words.join(' '), { limit, available }));
  const { query, matchCount, showing } = found;
  const tools = found.tools.map((hit) => shownHit(hit, settings));
  const hint = hintOf(found, settings);
  const rows = tools.map(({ name, description, ...more }) => [name, `${firstLine(description)}${noteOf(more)}`]);
  return {
    document: { status: true, query, matchCount, showing, tools, ...(hint !== undefined && { hint }) },
    text: () => [...(rows.length === 0 ? [] : [textTable(['Tool', 'Description'], rows)]), hint ?? ready].join('\n'),
  };
}

const ready = 'Activate one with schemakit add <tool>, then: schemakit call <tool>';

interface ShownHit extends Pick<SearchHit, 'name' | 'description' | 'namespace' | 'tags' | 'score' | 'type'> {
  /** The command that activates it. */
  add: string;
  /** Whether the default group has it. */
  active: boolean;
  /** Secrets that are not set, without which it cannot be called. Absent where there is none. */
  missing?: readonly string[];
}

function shownHit(hit: SearchHit, { groups, defaultGroup = '' }: Settings): ShownHit {
  const { name, description, namespace, tags, score, type, missing = [] } = hit;
  const active = groups.get(defaultGroup)?.tools ?? [];
  return {
    ...{ name, description, namespace, tags, score, type },
    add: `schemakit add ${shellWord(name)}`,
    active: active.includes(hit.file) || active.includes(groupReference(hit)),
    ...(missing.length > 0 && { missing }),
  };
}

function noteOf({ active, missing }: Pick<ShownHit, 'active' | 'missing'>): string {
  const notes = [...(active ? ['active'] : []), ...(missing === undefined ? [] : [`needs ${missing.join(', ')}`])];
  return notes.length === 0 ? '' : ` [${notes.join('; ')}]`;
}

function hintOf({ matchCount, showing, unknownWords, query }: SearchResult, settings: Settings): string | undefined {
  if (matchCount > showing) return `${matchCount} tools match. Add words, or --limit ${matchCount}.`;
  if (matchCount > 0) return undefined;
  if (schemaRoots(settings).length === 0) return 'There are no schemas yet. Run: schemakit init';
  if (unknownWords.length > 0) return `No tool has ${unknownWords.map((word) => JSON.stringify(word)).join(' or ')}.`;
  if (!/[\p{L}\p{N}\p{So}]/u.test(query)) return 'Search for words with letters or digits.';
  return 'No tool has all of these words. Leave one out.';
}
