import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeUpHandlers } from './made-up-handlers.ts';
import { makeUpTool } from './made-up-tool.ts';
import { moduleText } from './module-text.ts';
import { createRandom, type Random } from './random.ts';
import { things } from './words.ts';

/** How often a schema has one tool, two tools, … eight tools: the shares of a large public library. */
const toolCounts = [56, 73, 62, 77, 64, 56, 31, 68];
const sharesWith = { headers: 0.63, secrets: 0.3, emptyLibraries: 0.11 };
const listName = 'countryCodes';

/**
 * Writes made-up schemas into a folder, about 10 KB each, and the shared list that some of them use; gives their paths. They are
 * the same every time.
 */
export async function writeSchemas(folder: string, { count }: { count: number }): Promise<string[]> {
  await mkdir(join(folder, '_lists'), { recursive: true });
  await writeFile(join(folder, '_lists', 'country-codes.mjs'), listText());
  const files = Array.from({ length: count }, (_, index) => {
    const namespace = `${things[index % things.length]}${letters(index)}`;
    return {
      file: join(folder, `${namespace}.mjs`),
      text: schemaText(createRandom(index), { namespace, index }),
    };
  });
  await Promise.all(files.map(({ file, text }) => writeFile(file, text)));
  return files.map(({ file }) => file).sort();
}

function schemaText(random: Random, { namespace, index }: { namespace: string; index: number }): string {
  const thing = things[index % things.length] ?? things[0];
  // 7 % use a shared list, 40 % have handlers.
  const list = index % 14 === 3 ? listName : undefined;
  const hasHandlers = index % 5 < 2;
  const tools = Array.from({ length: 1 + random.weighted(toolCounts) }, (_, place) =>
    makeUpTool(random, { thing, index: place, list: place === 0 ? list : undefined }),
  );
  const secret = random.chance(sharesWith.secrets) ? `${namespace.toUpperCase()}_API_KEY` : undefined;
  const accept = random.chance(sharesWith.headers) && { Accept: 'application/json', 'User-Agent': 'schemas/3' };
  const authorization = secret !== undefined && { Authorization: `Bearer {{${secret}}}` };
  const main = {
    namespace,
    name: `${namespace} API`,
    description: `Data about every known ${thing}: entries, history and summaries from a public source.`,
    version: '3.0.0',
    docs: [`https://docs.${namespace}.example.com/reference`, `https://${namespace}.example.com/terms`],
    tags: ['data', thing, 'cacheTtlDaily'],
    root: `https://api.${namespace}.example.com`,
    ...(secret !== undefined && { requiredServerParams: [secret] }),
    ...(random.chance(sharesWith.emptyLibraries) && { requiredLibraries: [] }),
    ...((accept || authorization) && { headers: { ...accept, ...authorization } }),
    ...(list !== undefined && { sharedLists: [{ ref: list, version: '3.0.0' }] }),
    tools: Object.fromEntries(tools.map(({ name, definition }) => [name, definition])),
  };
  const names = tools.map(({ name }) => name);
  const handlers = hasHandlers ? `\n\n${makeUpHandlers(random, names, list)}` : '';
  return `// ${namespace}: made up for measurements.\nexport const main = ${moduleText(main)};${handlers}\n`;
}

function listText(): string {
  const letter = (place: number) => String.fromCharCode(65 + place);
  const codes = [
    'DE',
    ...Array.from({ length: 199 }, (_, place) => `${letter(place % 26)}${letter(Math.floor(place / 26))}`),
  ];
  const list = {
    meta: {
      name: listName,
      version: '3.0.0',
      description: 'Countries',
      fields: [
        { key: 'code', type: 'string', optional: false },
        { key: 'name', type: 'string', optional: false },
      ],
    },
    entries: codes.map((code) => ({ code, name: `Country ${code}` })),
  };
  return `export const list = ${moduleText(list)};\n`;
}

/** 0 is `a`, 25 `z`, 26 `ba`: namespaces have no digits. */
function letters(number: number): string {
  const last = String.fromCharCode(97 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26)) + last;
}
