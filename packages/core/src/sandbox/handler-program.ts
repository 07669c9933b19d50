/**
 * The code part of one schema file as a host process takes it. It is made from the syntax tree of the file, so it holds no
 * comments, imports or exports, and every line stands where it stood in the file.
 */
export interface HandlerProgram {
  /** Tells programs apart: sha256 of the file, the source, the libraries and the lists, in hexadecimal. */
  id: string;
  /** Namespace of the schema, for messages. */
  namespace: string;
  /** File of the schema, for messages. */
  file: string;
  /**
   * A script that binds `handlers` at its top level. Literal `import('x')` calls read `__schemakitImport("x")`, and texts that
   * SES refuses (`import(`, `<!--`, `-->`) are written with escapes.
   */
  source: string;
  /** What the factory finds in `libraries`. */
  libraries: readonly HandlerLibrary[];
  /** Programs of one group may share a host: those of one source, loaded for one owner with the same grants. */
  group: string;
  /** Shares no host with other programs, although it could. */
  alone?: boolean | undefined;
  /** Entries of the shared lists by list name: JSON data, deeply frozen inside the host. */
  sharedLists: Record<string, readonly unknown[]>;
}

/** Tells whether a program shares no host with others: not with packages, nor with streams, which cannot be frozen. */
export function needsOwnHost({ libraries, alone }: HandlerProgram): boolean {
  return alone === true || libraries.some(({ name, entry }) => entry !== '' || isStream(name));
}

export function isStream(name: string): boolean {
  return name === 'stream' || name === 'node:stream';
}

/** One allowlisted library of a program. */
export interface HandlerLibrary {
  /** Name under which handlers ask for it: a package name, or a Node.js built-in such as `crypto` or `node:zlib`. */
  name: string;
  /** Path or file URL of the module that a host imports; empty for a built-in, and for one that is not installed. */
  entry: string;
  /** Folders that the host may read to load it: the package's own and those of its dependencies; empty for a built-in. */
  folders: readonly string[];
  /** It is not installed: handlers that use it fail with `LIBRARY_MISSING`, and the others run. */
  missing?: boolean;
}
