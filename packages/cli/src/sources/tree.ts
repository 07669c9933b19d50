/** A file, a link or something else that a source has. */
export interface TreeEntry {
  kind: 'file' | 'link' | 'other';
  bytes: number;
}

/** The files of a repository, an archive or a folder at one moment. */
export interface Tree {
  /** A commit; null where there is none. */
  revision: string | null;
  /** By path as the source has it: it may lead anywhere. */
  entries: ReadonlyMap<string, TreeEntry>;
  /** The contents of files; those that cannot be read are left out. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}
