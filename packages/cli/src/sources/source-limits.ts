/** How much of a source is taken, and how long it may take. */
export interface SourceLimits {
  /** Files of one source. Default 5,000. */
  files: number;
  /** One file, in bytes. Default 2 MiB, the largest module that is read. */
  fileBytes: number;
  /** All files of one source, in bytes. Default 128 MiB. */
  totalBytes: number;
  /** A registry, in bytes. Default 4 MiB. */
  registryBytes: number;
  /** An archive as it is sent, in bytes. Default 64 MiB. */
  archiveBytes: number;
  /** An archive or a repository once it is here, in bytes. Default 256 MiB. */
  unpackedBytes: number;
  /** How often larger an archive may be than it was sent. Default 100; an archive of a mebibyte may always be made. */
  expansion: number;
  /** One request, in milliseconds. Default 60,000. */
  requestMs: number;
  /** A server that says nothing, in milliseconds. Default 15,000. */
  silenceMs: number;
}

const mebibyte = 2 ** 20;

export const defaultLimits: Readonly<SourceLimits> = {
  files: 5000,
  fileBytes: 2 * mebibyte,
  totalBytes: 128 * mebibyte,
  registryBytes: 4 * mebibyte,
  archiveBytes: 64 * mebibyte,
  unpackedBytes: 256 * mebibyte,
  expansion: 100,
  requestMs: 60_000,
  silenceMs: 15_000,
};
