import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import { describe, expect, test } from 'vitest';
import { mainWith, moduleText } from '../e2e/support/schema-module.ts';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { paths, statements } from './files.ts';

const canary = `canary-${randomBytes(12).toString('hex')}`;

describe.each(paths)('a schema that $name', ({ fields, path, outcome }) => {
  test('reads it where paths are joined', async () => {
    const folder = await privateFolder();
    const file = resolve(folder, 'schema', path.replace('%FOLDER%', folder));
    expect(readFileSync(existsSync(file) ? file : `${file}.mjs`, 'latin1')).toContain(canary);
  });

  test.each([
    ['the user named', true],
    ['came from elsewhere', false],
  ])(`does not get it where %s it: ${outcome}`, async (_, approveRoot) => {
    const folder = await privateFolder();
    const fieldsText = JSON.stringify(fields).replace('%PATH%', path.replace('%FOLDER%', folder));
    const { told, codes } = await tellAll(folder, JSON.parse(fieldsText), { approveRoot });
    expect(told).not.toContain(canary);
    expect(codes).toContain(outcome);
  });
});

describe.each(statements)('a query that $name', ({ sql, outcome }) => {
  test('does it where it is run as it is', async () => {
    const folder = await privateFolder();
    const database = new DatabaseSync(join(folder, 'schema', 'own.db'));
    const before = database.prepare('SELECT text FROM notes').all();
    database.exec(sql.replaceAll('%FOLDER%', folder));
    const after = database.prepare('SELECT text FROM notes').all();
    database.close();
    expect(
      existsSync(join(folder, 'dropped.db')) || before.length !== after.length || before[0]?.text !== after[0]?.text,
    ).toBe(true);
  });

  test.each([
    ['of the schema', (statement: string) => statement],
    ['of a caller', () => '{{DYNAMIC_SQL}}'],
  ])(`does nothing as a query %s: ${outcome}`, async (_, written) => {
    const folder = await privateFolder();
    const statement = sql.replaceAll('%FOLDER%', folder);
    const query = { sql: written(statement), description: 'Asks.', parameters: [] };
    const resources = {
      data: { source: 'sqlite', description: 'Data.', database: './own.db', queries: { ask: query } },
    };
    const { told, codes } = await tellAll(folder, { resources }, { sql: statement });
    expect(existsSync(join(folder, 'dropped.db'))).toBe(false);
    const database = new DatabaseSync(join(folder, 'schema', 'own.db'), { readOnly: true });
    expect(database.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'mine' }]);
    database.close();
    if (written('') === '') expect(codes).toContain(outcome);
    else expect(told).toMatch(/must only read data|more than one statement/);
  });
});

/** A folder with something private in it, and below it the folder of a schema with links to that. */
async function privateFolder(): Promise<string> {
  const meta = { name: '../private', version: '1.0.0', description: 'Private.', fields: [] };
  const folder = await temporaryFolder({
    'private.mjs': `export const content = '${canary} {{tool:getThing}}';
      export const skill = { name: 'plan', version: 'schemakit-skill/1.0.0', description: '${canary}', requires: { tools: ['getThing'], resources: [], external: [] }, input: [], output: 'x', content };
      export const list = { meta: ${JSON.stringify(meta)}, entries: [{ name: '${canary}' }] };`,
    'private.md': `# ${canary}`,
    'schema/x/here': '',
    'schema/_lists/here': '',
    'schema/resources/here': '',
  });
  for (const [file, text] of [
    ['private.db', canary],
    ['schema/own.db', 'mine'],
  ] as const) {
    const database = new DatabaseSync(join(folder, file));
    database.exec(`CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('${text}')`);
    database.close();
  }
  for (const end of ['mjs', 'md', 'db'])
    symlinkSync(join(folder, `private.${end}`), join(folder, 'schema', `link.${end}`));
  return folder;
}

/** Loads a schema and calls everything that it offers. */
async function tellAll(
  folder: string,
  fields: Record<string, unknown>,
  { sql = 'SELECT text FROM notes', approveRoot = false } = {},
): Promise<{ told: string; codes: string[] }> {
  const filePath = join(folder, 'schema', 'schema.mjs');
  await writeFile(filePath, moduleText(mainWith(fields)));
  const schema = await SchemaKit.loadSchema({ filePath, approveRoot });
  const tools = exposeSchemas(schema.status ? [schema] : []).filter(
    ({ listing }) => !listing.name.endsWith('getThing'),
  );
  const answers = await Promise.all(
    tools.map((tool) => tool.call('sql' in Object(tool.listing.inputSchema.properties) ? { sql } : {})),
  );
  const told = JSON.stringify([schema.messages, schema.prompts, schema.sharedLists, answers]);
  return { told, codes: schema.findings.map(({ code }) => code) };
}
