/** The handlers of one schema file, printed from the syntax tree without comments, imports and exports. Lines keep their numbers. */
export interface HandlerProgram {
  /** SHA-256 of the file, the source, the libraries and the lists, in hexadecimal. */
  id: string;
  namespace: string;
  file: string;
  /**
   * A script that binds `handlers` at its top level. Literal `import('x')` calls are written as `__schemakitImport("x")`, and
   * texts that SES rejects (`import(`, `<!--`, `-->`) with escapes.
   */
  source: string;
  libraries: readonly HandlerLibrary[];
  /** Programs of the same group may share a host: those of one source, loaded for one owner with the same grants. */
  group: string;
  /** Gets its own host even if it could share one. */
  alone?: boolean | undefined;
  /** Entries of the shared lists by list name: JSON data, deeply frozen inside the host. */
  sharedLists: Record<string, readonly unknown[]>;
}

/** Programs with packages or with streams, which cannot be frozen, share no host. */
export function needsOwnHost({ libraries, alone }: HandlerProgram): boolean {
  return alone === true || libraries.some(({ name, entry }) => entry !== '' || isStream(name));
}

export function isStream(name: string): boolean {
  return name === 'stream' || name === 'node:stream';
}

export interface HandlerLibrary {
  /** A package name, or a Node.js built-in such as `crypto` or `node:zlib`. */
  name: string;
  /** Path or file URL of the module to import; empty for a built-in and for a missing package. */
  entry: string;
  /** Folders of the package and its dependencies, which the host may read; empty for a built-in. */
  folders: readonly string[];
  /** Not installed: handlers that use it fail with `LIBRARY_MISSING`, others run. */
  missing?: boolean;
}
