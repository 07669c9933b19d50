import { namesTool } from '../groups/list-group.ts';
import { readGroupReference } from '../groups/references.ts';
import { schemaRoots } from '../groups/schema-roots.ts';
import { searchSchemas } from '../index/open-index.ts';
import type { SearchHit, SearchResult } from '../index/search-tools.ts';
import { type CommandResult, usageError } from '../output/command-result.ts';
import { shellWord } from '../output/terminal-text.ts';
import { firstLine, textTable } from '../output/text-table.ts';
import { defineCommand, type MakeCommand } from '../run-command.ts';
import { openSecrets, openSettings } from '../settings/open-settings.ts';
import type { Settings } from '../settings/read-settings.ts';
import { described, numberFlag } from './parameters.ts';

async function search({ limit }: { limit: number }, ...words: string[]): Promise<CommandResult> {
  if (words.length === 0) {
    return usageError('search needs words.', 'Run: schemakit search exchange rates. All schemas: schemakit schemas');
  }
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const available = Object.keys(openSecrets(settings));
  const found = await searchSchemas(words.join(' '), settings, { limit, available });
  const { query, matchCount, showing } = found;
  const tools = found.tools.map((hit) => shownHit(hit, settings));
  const hint = hintOf(found, settings);
  const rows = tools.map(({ name, description, ...more }) => [name, `${firstLine(description)}${noteOf(more)}`]);
  return {
    document: { status: true, query, matchCount, showing, tools, hint },
    text: () =>
      [...(rows.length === 0 ? [] : [textTable(['Tool', 'Description'], rows)]), hint ?? nextText(settings)].join('\n'),
  };
}

function nextText({ groups, defaultGroup }: Settings): string {
  const show = 'Show a tool: schemakit describe <tool>.';
  // Without groups, every known tool can be called.
  const isFree = groups.size === 0 && defaultGroup === undefined;
  return isFree
    ? `${show} Call it: schemakit call <tool>`
    : `${show} Activate it: schemakit add <tool>. Then call it: schemakit call <tool>`;
}

function shownHit(hit: SearchHit, { groups, defaultGroup = '' }: Settings) {
  const { name, description, namespace, tags, score, type, missing = [] } = hit;
  const active = groups.get(defaultGroup)?.tools ?? [];
  return {
    ...{ name, description, namespace, tags, score, type },
    add: `schemakit add ${shellWord(name)}`,
    active: active.some((text) => namesTool(readGroupReference(text), hit)),
    ...(missing.length > 0 && { missing }),
  };
}

function noteOf({ active, missing }: Pick<ReturnType<typeof shownHit>, 'active' | 'missing'>): string {
  const notes = [...(active ? ['active'] : []), ...(missing === undefined ? [] : [`needs ${missing.join(', ')}`])];
  return notes.length === 0 ? '' : ` [${notes.join('; ')}]`;
}

function hintOf({ matchCount, showing, unknownWords, query }: SearchResult, settings: Settings): string | undefined {
  if (matchCount > showing) return `${matchCount} tools match. Add words, or use --limit ${matchCount}.`;
  if (matchCount > 0) return undefined;
  if (schemaRoots(settings).length === 0) return 'No schemas yet. Run: schemakit init';
  if (unknownWords.length > 0)
    return `No tool matches ${unknownWords.map((word) => JSON.stringify(word)).join(' or ')}. ${otherWords}`;
  if (!/[\p{L}\p{N}\p{So}]/u.test(query)) return 'Use words with letters or digits.';
  return `No tool matches all words. ${otherWords}`;
}

const otherWords = 'Use fewer or other words, or list all schemas: schemakit schemas';

export const searchCommand: MakeCommand = defineCommand('search', () => search, {
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'Words or prefixes; all must match', parse: String, placeholder: 'word' },
    },
    flags: {
      limit: numberFlag('Maximum number of tools to show, up to 1000', 'number', { min: 1, max: 1000, value: 10 }),
    },
  },
  docs: described('Search tools by keywords, best match first', 'schemakit search exchange rates'),
});
