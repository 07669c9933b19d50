import { findingMaker, type MakeFinding } from '../finding.ts';

/** What a reference can point to. */
export type PartType = 'tool' | 'resource' | 'prompt' | 'skill' | 'list';

/** A schema file of a source, or one part of it. */
export interface FileReference {
  form: 'file';
  source: string;
  /** Path inside the source, with forward slashes: `<file>.mjs`. */
  file: string;
  /** Absent where all tools of the file are meant. */
  part?: { type: Exclude<PartType, 'list'>; name: string };
}

/** A part of any schema of a namespace: `<namespace>/<type>/<name>`, and its longer and shorter forms. */
export interface IdReference {
  form: 'id';
  /** The namespace, or the name of the provider's folder. */
  namespace: string;
  /** Absent in the short form `<namespace>/<name>`. */
  type?: PartType;
  name: string;
  /** Name of the schema file without `.mjs`, where the reference says it: `<namespace>/<file>::<name>`. */
  file?: string;
}

/** One of the names under which a tool is shown. Only a set of tools can tell which tool it is. */
export interface NameReference {
  form: 'name';
  name: string;
}

export type Reference = FileReference | IdReference | NameReference;

/** Rules about references to tools and other parts of schemas, by code: how severe a breach is, and what the rule asks for. */
export const referenceCodes = {
  REF001: ['error', 'A reference is one of the known forms.'],
  REF002: ['error', 'A file in a reference is `<source>/<file>.mjs`, inside its source.'],
  REF003: ['error', 'The type in a reference is `tool`, `resource`, `prompt` or `skill`.'],
  REF004: ['error', 'A reference names something after `::`.'],
  REF005: ['warning', 'No two tools have the same name.'],
  REF006: ['error', 'A reference names a tool that there is.'],
  REF007: ['error', 'A reference names one tool.'],
  REF008: ['error', 'Where a tool is needed, a reference names a tool.'],
  ID001: ['error', 'An id has a slash.'],
  ID002: ['error', 'An id begins with a namespace: lowercase letters, digits and hyphens.'],
  ID003: ['error', 'The type in an id is `tool`, `resource`, `prompt`, `skill` or `list`.'],
  ID004: ['error', 'An id ends with a name.'],
  ID005: ['warning', 'An id names its type.'],
  ID006: ['error', 'Where a full id is needed, it is `<namespace>/<type>/<name>`.'],
} as const;

export type ReferenceCode = keyof typeof referenceCodes;

/** Makes a finding of a rule about references. */
export const referenceFinding: MakeFinding<ReferenceCode> = findingMaker(referenceCodes);
