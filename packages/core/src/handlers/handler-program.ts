/**
 * The code part of one schema file as a host process takes it. It is made from the syntax tree of the file, so it holds no
 * comments, imports or exports, and every line stands where it stood in the file.
 */
export interface HandlerProgram {
  /** sha256 of `source`. */
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
  /** Entries of the shared lists by list name: JSON data, deeply frozen inside the host. */
  sharedLists: Record<string, readonly unknown[]>;
}

/** One allowlisted library of a program. */
export interface HandlerLibrary {
  /** Name under which handlers ask for it: a package name, or a Node.js built-in such as `crypto` or `node:zlib`. */
  name: string;
  /** Path or file URL of the module that a host imports; empty for a built-in. */
  entry: string;
  /** Folders that the host may read to load it: the package's own and those of its dependencies; empty for a built-in. */
  folders: readonly string[];
}
