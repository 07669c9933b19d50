import { type Finding, makeFinding } from '../schema/finding.ts';

/** Rules about the lock file, by code: how severe a breach is, and what the rule asks for. */
export const lockCodes = {
  LCK001: ['error', 'The lock file can be read.'],
  LCK002: ['error', 'The lock file is JSON of the documented shape.'],
  LCK003: ['error', 'The lock file has a version that this SchemaKit supports.'],
  LCK004: ['error', 'A schema is the one that was trusted: its `main`, its handlers and its lists.'],
  LCK005: ['error', 'A schema has an entry in the lock file, if only trusted schemas may load.'],
  LCK006: ['warning', 'The file of an entry exists.'],
  LCK007: ['error', 'The lock file can be written, and no other process changed the entry in the meantime.'],
  LCK008: ['warning', 'The grants of a lock file that came with a project count once its user accepted them.'],
  LCK009: ['error', 'A lock file that was found, not named, belongs to its user, and only they can replace it.'],
  LCK010: ['warning', 'An imported schema may send its secrets, and reach an address that is not public.'],
} as const;

export type LockCode = keyof typeof lockCodes;

export function lockFinding(
  code: LockCode,
  message: string,
  { path = '', hint, file }: { path?: string; hint?: string; file?: string } = {},
): Finding {
  const finding = makeFinding(lockCodes, code, path, message, hint);
  return file === undefined ? finding : { ...finding, file };
}
