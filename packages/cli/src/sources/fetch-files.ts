import type { Finding } from '@schemakit/core';
import { inParallel } from './in-parallel.ts';
import { type LocalFile, lookAt } from './local-files.ts';
import type { Offer, OfferedFile } from './offer.ts';
import type { FileAnswer } from './source-client.ts';
import { sourceFinding } from './source-codes.ts';
import type { SourceLimits } from './source-limits.ts';
import { type OnProgress, progressOf } from './source-progress.ts';
import type { SourceState, Validators } from './source-state.ts';
import type { Staging } from './staging.ts';

/** A file as the source has it now, and as it is here. */
export interface FetchedFile extends OfferedFile, Validators {
  sha256: string;
  local: LocalFile;
  /** Whether its content is in the staging folder. If not, it is the file that is here. */
  isStaged: boolean;
}

export interface FetchResult {
  files: FetchedFile[];
  /** Why a file could not be fetched, by path. */
  failed: Map<string, Finding>;
  /** Those among them that the source does not have. */
  missing: Set<string>;
  /** Why the work ends here. */
  fatal?: Finding;
}

export interface FetchContext {
  offer: Offer;
  /** The folder of the source. */
  folder: string;
  state: SourceState | undefined;
  staging: Staging;
  limits: SourceLimits;
  signal: AbortSignal;
  onProgress: OnProgress | undefined;
}

/** Requests at a time. */
const atOnce = 8;
/** After so many files that could not be fetched, the source is taken to be out of order. */
const maxFailures = 25;

/** Fetches what is not here yet: neither in place, nor in the staging folder from an earlier attempt. */
export async function fetchFiles(offered: readonly OfferedFile[], context: FetchContext): Promise<FetchResult> {
  const { signal, limits, onProgress } = context;
  const result: FetchResult = { files: [], failed: new Map(), missing: new Set() };
  const tell = progressOf('fetch', { total: offered.length, onProgress });
  let bytes = 0;
  await inParallel(offered, { atOnce }, async (file) => {
    signal.throwIfAborted();
    if (result.fatal !== undefined) return;
    const fetched = await fetchFile(file, context);
    if ('finding' in fetched) {
      result.failed.set(file.path, fetched.finding);
      if (fetched.isMissing === true) result.missing.add(file.path);
    } else {
      bytes += fetched.bytes;
      result.files.push(fetched.file);
    }
    if (bytes > limits.totalBytes) result.fatal = tooMuch(limits);
    else if (result.failed.size - result.missing.size > maxFailures) result.fatal = outOfOrder(result.failed);
    tell(file.path);
  });
  return result;
}

type Fetched = { file: FetchedFile; bytes: number } | { finding: Finding; isMissing?: boolean };

async function fetchFile(file: OfferedFile, context: FetchContext): Promise<Fetched> {
  const { offer, folder, state, staging } = context;
  const { path, sha256 } = file;
  const local = await lookAt(folder, path);
  const recorded = local.is === 'file' ? state?.files.get(path) : undefined;
  if (recorded !== undefined && recorded.sha256 === sha256) return asHere(file, { local, recorded });
  const kept = await staging.kept(path, { sha256 });
  if (kept !== undefined && sha256 !== undefined) return staged(file, { local, kept });
  const validators = sha256 === undefined ? validatorsOf(kept ?? recorded) : undefined;
  const answer = await offer.read(path, { validators });
  if (answer.status === 'unchanged') {
    if (kept !== undefined) return staged(file, { local, kept });
    if (recorded !== undefined) return asHere(file, { local, recorded });
    return { finding: sourceFinding('SRC002', `the server says without having been asked that ${path} is unchanged`) };
  }
  if (answer.status !== 'read') {
    return { finding: named(answer.finding, path), isMissing: answer.status === 'missing' };
  }
  return keep(file, { answer, local, context });
}

async function keep(
  file: OfferedFile,
  { answer, local, context }: { answer: FileAnswer & { status: 'read' }; local: LocalFile; context: FetchContext },
): Promise<Fetched> {
  const { bytes, validators } = answer;
  const { limits, staging } = context;
  if (bytes.length > limits.fileBytes) {
    const message = `${file.path} has ${bytes.length} bytes; ${limits.fileBytes} are the most that is taken`;
    return { finding: sourceFinding('SRC006', message, { path: file.path }) };
  }
  const kept = await staging.keep(file.path, bytes, validators);
  if (file.sha256 === undefined || file.sha256 === kept.sha256) {
    return { ...staged(file, { local, kept }), bytes: bytes.length };
  }
  const message = `${file.path} is not the file that the source notes: expected sha256 ${file.sha256}, found ${kept.sha256}`;
  const hint = 'The registry or the file is out of date, or the file was changed. Tell whoever runs the source.';
  return { finding: sourceFinding('SRC007', message, { path: file.path, hint }) };
}

function asHere(
  file: OfferedFile,
  { local, recorded }: { local: LocalFile; recorded: Validators & { sha256: string } },
): { file: FetchedFile; bytes: number } {
  const { sha256 } = recorded;
  return { file: { ...file, sha256, ...validatorsOf(recorded), local, isStaged: false }, bytes: 0 };
}

function staged(
  file: OfferedFile,
  { local, kept }: { local: LocalFile; kept: Validators & { sha256: string } },
): { file: FetchedFile; bytes: number } {
  const { sha256 } = kept;
  return { file: { ...file, sha256, ...validatorsOf(kept), local, isStaged: true }, bytes: 0 };
}

function validatorsOf({ etag, lastModified }: Validators = {}): Validators {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

function named(finding: Finding, path: string): Finding {
  return finding.path === '' ? { ...finding, path } : finding;
}

function tooMuch({ totalBytes }: SourceLimits): Finding {
  return sourceFinding('SRC006', `the source has more than ${totalBytes} bytes, the most that is taken`, {
    hint: 'Import a part of it.',
  });
}

function outOfOrder(failed: ReadonlyMap<string, Finding>): Finding {
  const [first] = failed.values();
  return sourceFinding('SRC002', `${failed.size} files could not be fetched, so the rest was not asked for`, {
    hint: `The first reason: ${first?.message ?? 'unknown'}`,
  });
}
