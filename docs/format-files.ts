import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Definition, readSchemaFile, type SchemaFile, schemaFolder } from './format-definitions.ts';
import { formatFields } from './format-fields.ts';
import { fillTables } from './format-tables.ts';
import { formatTypes } from './format-types.ts';

const project: string = fileURLToPath(new URL('..', import.meta.url));
const page = 'docs/format.md';

/** The files that are generated from the JSON Schema of the format: path in the project and text. */
export async function formatFiles(): Promise<ReadonlyMap<string, string>> {
  const code: Readonly<Record<string, string>> = {
    'format-types.generated.ts': await formatTypes(),
    'fields.generated.ts': formatFields(),
    'agent.schema.json': JSON.stringify(withDefinitions(readSchemaFile('agent.schema.json'))),
  };
  const files = Object.entries(code).map(async ([name, text]): Promise<[string, string]> => {
    const path = `${schemaFolder}/${name}`;
    return [path, await asFormatted(path, text)];
  });
  return new Map([...(await Promise.all(files)), [page, fillTables(await readFile(`${project}/${page}`, 'utf8'))]]);
}

/** A schema file with the definitions of `main.schema.json` that its own refer to, so that it is complete by itself. */
function withDefinitions(file: SchemaFile): SchemaFile {
  const { $defs: shared } = readSchemaFile('main.schema.json');
  const own = Object.entries(file.$defs).filter(([name]) => !(name in shared));
  const needed = new Set<string>();
  const pending = own.flatMap(([, definition]) => referencesIn(definition));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = shared[name];
    if (definition === undefined || needed.has(name)) continue;
    needed.add(name);
    pending.push(...referencesIn(definition));
  }
  const copied = Object.entries(shared).filter(([name]) => needed.has(name));
  return { ...file, $defs: Object.fromEntries([...own, ...copied]) };
}

function referencesIn(definition: Definition): string[] {
  return [...JSON.stringify(definition).matchAll(/"#\/\$defs\/(\w+)/g)].flatMap(([, name]) => name ?? []);
}

/** The text as the formatter of the project has it. */
function asFormatted(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const formatter = execFile(
      `${project}/node_modules/.bin/biome`,
      ['format', `--stdin-file-path=${path}`],
      { cwd: project },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
    formatter.stdin?.end(text);
  });
}
