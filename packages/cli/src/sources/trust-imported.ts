import { join } from 'node:path';
import { checkLock, type Finding, type LoadedSchema, readLock, trustCommand, trustSchemas } from '@schemakit/core';
import { sourceFinding } from './source-codes.ts';

/** A schema that will be in place. */
export interface ImportedSchema {
  path: string;
  main: LoadedSchema['main'];
  /** Whether it was not here before. */
  isNew: boolean;
}

export interface ImportedTrust {
  /** Errors end the import: what cannot be noted is not used. */
  findings: Finding[];
  /** Noted in the lock file now, by path. */
  trusted: string[];
  /** Not what was trusted: refused until somebody agrees. */
  needsTrust: string[];
}

/**
 * Holds schemas to what they are when they come first (trust on first use): no grants, only hashes. An entry that is there is
 * never changed; a schema that differs from it is reported. One whose entry was revoked gets no new one.
 */
export async function trustImported(
  schemas: readonly ImportedSchema[],
  {
    folder,
    lockFile,
    source,
    revision,
    dryRun,
  }: { folder: string; lockFile: string; source: string; revision: string | null; dryRun: boolean },
): Promise<ImportedTrust> {
  const { lock, findings } = readLock({ lockFile, missing: 'empty' });
  if (lock === undefined) return { findings, trusted: [], needsTrust: [] };
  const checks = schemas.flatMap(({ path, main, isNew }) => {
    const check = checkLock({ lock, schema: { file: join(folder, path), main } });
    return check === undefined ? [] : [{ path, isNew, check }];
  });
  const first = checks.filter(({ check, isNew }) => check.state === 'new' && isNew);
  const changed = checks.filter(({ check }) => check.state === 'changed');
  const written =
    dryRun || first.length === 0
      ? { findings: [] }
      : await trustSchemas({
          lockFile,
          schemas: first.map(({ check }) => ({ check, source, ...(revision !== null && { revision }) })),
        });
  return {
    findings: [
      ...written.findings,
      ...changed.map(({ path, check: { file, summary } }) =>
        sourceFinding('SRC013', `${path} is not the schema that was trusted: ${summary.join('; ')}`, {
          file,
          hint: `Look at what changed. If you trust it: ${trustCommand({ files: [file], lockFile })}`,
        }),
      ),
    ],
    trusted: first.map(({ path }) => path),
    needsTrust: changed.map(({ path }) => path),
  };
}
