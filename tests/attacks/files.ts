import type { DataAttack, DataGroup } from './attack.ts';

/** A file that a schema names. In its folder `schema/` lies `link.*`, which leads to `../private.*`; `%FOLDER%` is what is above. */
export interface FileAttack extends DataAttack {
  /** Fields of `main` in which `%PATH%` stands for the path. */
  fields: Record<string, unknown>;
  path: string;
}

/** A statement in a schema's query, for a database beside it. `%FOLDER%` as above. */
export interface StatementAttack extends DataAttack {
  sql: string;
}

const reads = { harm: 'reads a file' } as const;
const prompt = { prompts: { about: { description: 'About it.', contentFile: '%PATH%' } } };
const skill = { skills: { plan: { file: '%PATH%' } } };
const list = { sharedLists: [{ ref: '%PATH%', version: '1.0.0' }] };
const text = { resources: { guide: { source: 'markdown', description: 'A guide.', database: '%PATH%' } } };
const namedText = {
  resources: { guide: { source: 'markdown', origin: 'inline', description: 'A guide.', name: '%PATH%' } },
};
const database = { resources: { data: { source: 'sqlite', description: 'Data.', database: '%PATH%', queries: {} } } };
const namedDatabase = {
  resources: { data: { source: 'sqlite', origin: 'inline', description: 'Data.', name: '%PATH%', queries: {} } },
};

export const paths: readonly FileAttack[] = [
  { name: 'names a prompt above its folder', fields: prompt, path: '../private.mjs', ...reads, outcome: 'PRM011' },
  {
    name: 'names a prompt by its absolute path',
    fields: prompt,
    path: '%FOLDER%/private.mjs',
    ...reads,
    outcome: 'PRM011',
  },
  {
    name: 'names a prompt above its folder by a detour',
    fields: prompt,
    path: './x/../../private.mjs',
    ...reads,
    outcome: 'PRM011',
  },
  { name: 'names a prompt that is a link', fields: prompt, path: './link.mjs', ...reads, outcome: 'PRM011' },
  { name: 'names a skill above its folder', fields: skill, path: '../private.mjs', ...reads, outcome: 'SKL016' },
  { name: 'names a skill that is a link', fields: skill, path: './link.mjs', ...reads, outcome: 'SKL016' },
  { name: 'names a shared list above its folder', fields: list, path: '../private', ...reads, outcome: 'VAL072' },
  { name: 'names a document above its folder', fields: text, path: '../private.md', ...reads, outcome: 'RES005' },
  {
    name: 'names a document by its absolute path',
    fields: text,
    path: '%FOLDER%/private.md',
    ...reads,
    outcome: 'RES020',
  },
  { name: 'names a document that is a link', fields: text, path: './link.md', ...reads, outcome: 'RES020' },
  {
    name: 'names a document above its folder as a bare name',
    fields: namedText,
    path: '../private.md',
    ...reads,
    outcome: 'RES005',
  },
  { name: 'names a database above its folder', fields: database, path: '../private.db', ...reads, outcome: 'RES005' },
  {
    name: 'names a database by its absolute path',
    fields: database,
    path: '%FOLDER%/private.db',
    ...reads,
    outcome: 'RES020',
  },
  { name: 'names a database that is a link', fields: database, path: './link.db', ...reads, outcome: 'RES020' },
  {
    name: 'names a database above its folder as a bare name',
    fields: namedDatabase,
    path: '../private.db',
    ...reads,
    outcome: 'RES005',
  },
];

const writes = { harm: 'writes a file' } as const;

export const statements: readonly StatementAttack[] = [
  {
    name: 'attaches another database',
    sql: `ATTACH DATABASE '%FOLDER%/dropped.db' AS other`,
    ...writes,
    outcome: 'RES013',
  },
  { name: 'copies the database', sql: `VACUUM INTO '%FOLDER%/dropped.db'`, ...writes, outcome: 'RES013' },
  {
    name: 'hides a second statement after the first',
    sql: `SELECT 1; VACUUM INTO '%FOLDER%/dropped.db'`,
    ...writes,
    outcome: 'RES013',
  },
  {
    name: 'hides a statement after a comment',
    sql: `/* SELECT */ VACUUM INTO '%FOLDER%/dropped.db' -- SELECT`,
    ...writes,
    outcome: 'RES013',
  },
  {
    name: 'hides a statement after a line comment that ends',
    sql: `-- SELECT\nVACUUM INTO '%FOLDER%/dropped.db'`,
    ...writes,
    outcome: 'RES013',
  },
  {
    name: 'deletes instead of reading',
    sql: 'DELETE FROM notes',
    harm: "changes another schema's answers",
    outcome: 'RES013',
  },
  {
    name: 'deletes after a WITH',
    sql: 'WITH x AS (SELECT 1) DELETE FROM notes',
    harm: "changes another schema's answers",
    outcome: 'RES013',
  },
  {
    name: 'changes rows after a semicolon in a text',
    sql: `SELECT ';' AS a; UPDATE notes SET text = 'evil'`,
    harm: "changes another schema's answers",
    outcome: 'RES013',
  },
];

export const files: DataGroup = { title: 'Files and databases', attacks: [...paths, ...statements] };
