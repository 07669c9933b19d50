import type { Finding } from '@schemakit/core';
import type { SourceAddress } from './source-address.ts';
import type { FileAnswer } from './source-client.ts';
import type { FileKind, Validators } from './source-state.ts';

/** A file that a source offers, at a path that was checked. */
export interface OfferedFile {
  /** Below the folder of the source. */
  path: string;
  /** `module`: it may be a schema; only its content says so. */
  kind: FileKind | 'module';
  /** As the registry notes, hexadecimal. */
  sha256?: string;
}

/** What a source has at one moment. */
export interface Offer {
  /** What to note about where it is. */
  address: SourceAddress;
  /** A name that the source suggests for itself; it may be any text. */
  name: string;
  revision: string | null;
  files: readonly OfferedFile[];
  /** Paths that are refused, as the source has them. */
  refused: readonly string[];
  /** Why they are. */
  findings: readonly Finding[];
  registry: unknown;
  /** Of the registry or the archive. */
  validators: Validators;
  /** Reads a file; also one that is not in `files`, at a path that was checked. Never throws but for the signal. */
  read(path: string, options?: { validators?: Validators | undefined }): Promise<FileAnswer>;
}

/** What a source answers when it is asked what it has. */
export type OfferReading = { ok: true; offer: Offer } | { ok: false; findings: Finding[] };
