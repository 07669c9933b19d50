import { findingMaker, type MakeFinding } from './finding.ts';

/** Rules about the files of shared lists, by code: how severe a breach is, and what the rule asks for. */
export const listCodes = {
  LST001: ['error', 'A list file exports `list`, an object with `meta` and `entries`.'],
  LST002: ['error', '`meta.name` is given, a word that placeholders can name.'],
  LST003: ['warning', '`meta.version` is a version, such as 1.0.0.'],
  LST004: ['warning', '`meta.fields` is an array of fields.'],
  LST005: ['warning', 'A field has a `key` that no other has, and a known `type`; `optional` is true or false.'],
  LST006: ['warning', 'A list has at least one entry.'],
  LST007: ['warning', 'Each entry has each field that is not optional.'],
  LST008: ['warning', 'The values of a field have its type.'],
  LST009: ['error', '`meta.dependsOn` is an array of names, or of `{ ref, version, condition }`.'],
  LST010: ['error', 'Lists do not depend on each other in a circle.'],
  LST011: ['error', 'What a list depends on is at most three steps away.'],
  LST012: ['error', 'The list that another depends on has an entry that fits its `condition`.'],
  LST013: ['warning', '`_registry.json` is JSON: `{ lists: [{ name, file }] }`.'],
  LST014: ['warning', 'The registry names a file of the folder, and the list in it has the name.'],
  LST015: ['warning', 'A list has the version and the number of entries that the registry notes.'],
  LST016: ['error', 'A list has the hash that the registry notes; another is not used.'],
  LST017: ['info', 'Entries have no fields that `meta.fields` does not declare.'],
  SEC200: ['warning', 'A list file has no functions. An error where the list cannot be read without running one.'],
  SEC201: ['warning', 'A list file has no arrow functions. An error as with `SEC200`.'],
  SEC202: ['warning', 'A list file has no `async` and no `await`. An error as with `SEC200`.'],
  SEC203: ['warning', 'A list file has no templates with expressions. An error as with `SEC200`.'],
  SEC204: ['error', 'A list can be read without running its file.'],
} as const;

export type ListCode = keyof typeof listCodes;

/** Makes a finding about the file of a shared list. */
export const listFinding: MakeFinding<ListCode> = findingMaker(listCodes);
