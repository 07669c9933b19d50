import type { ToolDescription } from './describe-schema.ts';
import type { IndexedSchema } from './indexed-tool.ts';
import { splitChunks, splitWords } from './split-words.ts';
import type { SearchField } from './tables.ts';

/** Joins the words of a whole name. No word has it in it, and the full-text index takes it for a letter. */
export const nameJoint = '·';

/** The words under which a tool is found, by the part of it that they stand in; with spaces between them. */
export function indexWords(
  { tool, lists }: ToolDescription,
  { description }: Pick<IndexedSchema, 'description'>,
): Record<SearchField, string> {
  const { namespace, toolName, tags, schemaName, parameters } = tool;
  const ofParameters = Object.entries(parameters).flatMap(([key, { description = '', values = [] }]) => [
    key,
    description,
    ...values.map(String),
  ]);
  return {
    namespace: nameWords(namespace).join(' '),
    name: [...nameWords(toolName), wholeName(toolName), wholeName(`${namespace} ${toolName}`)].join(' '),
    tags: wordsOf(tags),
    lists: wordsOf(lists),
    schema: wordsOf([schemaName]),
    description: wordsOf([tool.description, description]),
    parameters: wordsOf(ofParameters),
  };
}

/**
 * One word for all words of a name, in whatever order and form it is written: who types the whole name means this tool. Empty
 * for a name of one word, which many parts may have.
 */
export function wholeName(name: string): string {
  const words = splitWords(name);
  return words.length > 1 ? words.sort().join(nameJoint) : '';
}

/** The words of a name, and the name as one word, for those who write it without capitals and hyphens. */
function nameWords(name: string): string[] {
  const chunks = splitChunks(name);
  return [...new Set([...textWords(name), chunks.map(({ whole }) => whole).join('')])];
}

function wordsOf(texts: readonly string[]): string {
  return [...new Set(texts.flatMap(textWords))].join(' ');
}

function textWords(text: string): string[] {
  return splitChunks(text).flatMap(({ whole, words }) => (words.length > 1 ? [...words, whole] : words));
}
