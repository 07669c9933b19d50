import { relative, resolve } from 'node:path';
import type { Finding, LoadedSchema } from '@schemakit/core';
import { checkLock, type LockCheck, missingFiles, readLock, trustSchemas } from '@schemakit/core/lock';
import { ask, canAsk } from '../output/confirm.ts';
import { printFindings } from '../output/print-findings.ts';
import { printable } from '../output/terminal-text.ts';
import { grantRows, type LockPlace, type UsedLock, useLock } from '../sources/use-lock.ts';

interface Loaded {
  schemas: readonly LoadedSchema[];
  findings: readonly Finding[];
}

/** Checks schemas against the lock file. At a terminal, asks whether to trust changed ones. If there are `refused` errors, nothing may run. */
export async function loadWithLock<T extends Loaded>(
  { paths, ...place }: LockPlace & { paths: readonly string[] },
  load: (options: UsedLock) => Promise<T>,
): Promise<{ loaded: T; refused: Finding[] }> {
  const { used, refused } = await useLock(place, { paths });
  const { lockFile } = used;
  if (lockFile === undefined) return { loaded: await load(used), refused };
  const reading = readLock({ lockFile });
  if (reading.lock !== undefined) printFindings(missingFiles({ lock: reading.lock, paths }));
  let loaded = await load(used);
  const changed = loaded.schemas.filter(({ findings }) => findings.some(({ code }) => code === 'LCK004'));
  const { asks = true } = place;
  if (asks && changed.length > 0 && canAsk() && (await askAbout(changed, lockFile))) loaded = await load(used);
  const isRefusal = ({ code, severity }: Finding) => severity === 'error' && code.startsWith('LCK');
  return { loaded, refused: loaded.findings.filter(isRefusal) };
}

async function askAbout(schemas: readonly LoadedSchema[], lockFile: string): Promise<boolean> {
  const { lock } = readLock({ lockFile });
  const checks = schemas.flatMap((schema) => (lock && checkLock({ lock, schema })) ?? []);
  process.stderr.write(checks.map(changeText).join(''));
  const what = checks.length === 1 ? 'it' : `these ${checks.length}`;
  if (!(await ask(`Trust ${what} now, with the same grants?`))) return false;
  const { status, findings } = await trustSchemas({
    lockFile: resolve(lockFile),
    schemas: checks.map((check) => ({ check })),
  });
  printFindings(findings);
  return status;
}

function changeText({ file, summary, entry }: LockCheck): string {
  const grants = entry === undefined ? [] : grantRows(entry.grants).map((row) => row.join(' '));
  const lines = [
    `${relative(process.cwd(), file)} has changed since it was trusted:`,
    ...summary,
    ...(grants.length > 0 ? [`Grants: ${grants.join(', ')}`] : []),
  ];
  return `${lines.map((line) => printable(line)).join('\n    ')}\n`;
}
