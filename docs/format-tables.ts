import { definitions } from '../packages/core/src/format/author/definitions.ts';
import type { Field, ObjectDefinition } from '../packages/core/src/format/author/shape.ts';
import { options, primitives } from '../packages/core/src/format/author/z-shapes.ts';
import { markdownTable } from './markdown-table.ts';

/** Puts the tables of the format between their marks, `<!-- table: Tool -->` and `<!-- end -->`. */
export function fillTables(page: string): string {
  return page.replace(
    /(<!-- table: (.+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${table(name)}\n\n${end}`,
  );
}

function table(name: string): string {
  const special = tables[name];
  if (special) return special();
  const definition = objectNamed(name);
  return definition.section === '2.5' ? hookTable(definition) : fieldTable(definition);
}

const tables: Readonly<Record<string, () => string>> = {
  primitives: () =>
    markdownTable(
      ['Primitive', 'Takes'],
      Object.entries(primitives).map(([primitive, takes]) => [`\`${primitive}\``, takes]),
    ),
  options: () =>
    markdownTable(
      ['Option', 'For', 'Meaning'],
      Object.entries(options).map(([option, [taken, meaning]]) => [`\`${option}\``, taken, meaning]),
    ),
  'what hooks are given': hookContextTable,
};

function objectNamed(name: string): ObjectDefinition {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (definition?.kind !== 'object') throw new Error(`There is no object ${name} in the shapes of the format.`);
  return definition;
}

function fieldTable({ fields }: ObjectDefinition): string {
  return markdownTable(
    ['Field', 'Type', 'When it is missing', 'What it is'],
    Object.entries(fields).map(([name, field]) => [
      `\`${name}\``,
      field.shape.words,
      field.missing ?? 'nothing',
      said(field),
    ]),
  );
}

function hookTable({ fields }: ObjectDefinition): string {
  return markdownTable(
    ['Field', 'Type', 'What it is'],
    Object.entries(fields).map(([name, field]) => [`\`${name}\``, field.shape.words, said(field)]),
  );
}

/** One row for each property, one column for each hook. */
function hookContextTable(): string {
  const contexts = ['PreRequestContext', 'ExecuteRequestContext', 'PostProcessContext'].map(
    (name) => objectNamed(name).fields,
  );
  const names = new Set(contexts.flatMap((fields) => Object.keys(fields)));
  const rows = [...names].map((name) => [
    `\`${name}\``,
    ...contexts.map((fields) => (fields[name] === undefined ? '' : said(fields[name]))),
  ]);
  return markdownTable(['', '`preRequest`, `preProcess`', '`executeRequest`', '`postRequest`, `postProcess`'], rows);
}

function said({ about, deprecated, see, hidden }: Field): string {
  return [
    about,
    ...(deprecated === undefined ? [] : [deprecated]),
    ...(hidden ? ['Hidden.'] : []),
    ...(see === undefined ? [] : [`See ${see}.`]),
  ].join(' ');
}
