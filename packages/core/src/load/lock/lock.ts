import type { SchemaPin } from './schema-pin.ts';

/** Name of the lock file that the command looks for. */
export const lockFileName = 'schemakit.lock.json';

/** The version of the lock file that is written, and the only one that is read. */
export const lockVersion = 1;

/** What a schema was allowed when it was trusted. */
export interface LockGrants {
  /** Origins that its handlers may reach beside its root; `any`: every public address. */
  network: readonly string[] | 'any';
  /** Names of secrets whose values its handlers may read. */
  secrets: readonly string[];
}

/** One schema as it was trusted. */
export interface LockEntry extends SchemaPin {
  /** Where the file came from, such as the address of a repository; null for a file of one's own. */
  source: string | null;
  /** The revision of the source; null where there is none. */
  revision: string | null;
  grants: LockGrants;
}

/** A lock file. */
export interface Lock {
  /** Its absolute path. */
  file: string;
  /** Entries by the paths of their files; see `lockPaths`. */
  schemas: ReadonlyMap<string, LockEntry>;
}
