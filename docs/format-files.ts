import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { definitions } from '../packages/core/src/format/author/definitions.ts';
import { jsonSchemaFile } from '../packages/core/src/format/author/json-schema-file.ts';
import { typeDeclarations } from '../packages/core/src/format/author/type-declarations.ts';
import { fillTables } from './format-tables.ts';

const folder = 'packages/core/src/format/author';
const project: string = fileURLToPath(new URL('..', import.meta.url));
const page = 'docs/format.md';

/** The files that are made from the shapes of the format: path in the project and text. */
export async function formatFiles(): Promise<ReadonlyMap<string, string>> {
  const code: Readonly<Record<string, string>> = {
    'data-types.ts': typeDeclarations(definitions),
    'main.schema.json': schemaText('SchemaMain', 'main of a schema, format 3.0.0'),
    'list.schema.json': schemaText('SharedList', 'list of a shared list'),
    'agent.schema.json': schemaText('AgentManifest', 'agent of an agent manifest, format 3.0.0'),
  };
  const files = Object.entries(code).map(async ([name, text]): Promise<[string, string]> => {
    const path = `${folder}/${name}`;
    return [path, await asFormatted(path, text)];
  });
  return new Map([...(await Promise.all(files)), [page, fillTables(await readFile(`${project}/${page}`, 'utf8'))]]);
}

function schemaText(root: string, title: string): string {
  return JSON.stringify(jsonSchemaFile(root, title, definitions), null, 2);
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
