/** What a reference can point to. */
export type PartType = 'tool' | 'resource' | 'prompt' | 'skill' | 'list';

/** A schema file of a source, or one part of it (specification 2.11). */
export interface FileReference {
  form: 'file';
  source: string;
  /** Path inside the source, with forward slashes: `<file>.mjs`. */
  file: string;
  /** Absent where all tools of the file are meant. */
  part?: { type: Exclude<PartType, 'list'>; name: string };
}

/** A part of any schema of a namespace: `<namespace>/<type>/<name>` (specification 2.8), and its longer and shorter forms. */
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

/** One of the names under which a tool is shown (specification 2.3). Only a set of tools can tell which tool it is. */
export interface NameReference {
  form: 'name';
  name: string;
}

export type Reference = FileReference | IdReference | NameReference;

/** Writes a reference in the form that says most. `parseReference` reads it back. */
export function formatReference(reference: Reference): string {
  switch (reference.form) {
    case 'file': {
      const { source, file, part } = reference;
      return part === undefined ? `${source}/${file}` : `${source}/${file}::${part.type}::${part.name}`;
    }
    case 'id': {
      const { namespace, file, type, name } = reference;
      if (file !== undefined) return `${namespace}/${file}::${type ?? 'tool'}::${name}`;
      return type === undefined ? `${namespace}/${name}` : `${namespace}/${type}/${name}`;
    }
    case 'name':
      return reference.name;
  }
}
