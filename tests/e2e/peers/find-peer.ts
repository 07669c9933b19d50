import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A server program that a test talks to and that the machine may or may not have. */
export interface PeerProgram {
  /** Absolute path, or undefined where it is not installed and the tests that need it are skipped. */
  path: string | undefined;
  /** What to do to have it. */
  install: string;
}

/**
 * Looks for a program in `PATH`. Where it is missing, tests that need it are skipped with a line that says what to
 * install. In CI this throws with that line instead, so that no pipeline is green because a peer is absent.
 */
export function findPeer(program: string, { aptPackage }: { aptPackage: string }): PeerProgram {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable);
  const install = `${program} is not installed: apt-get install -y ${aptPackage}`;
  if (path === undefined && process.env.CI) throw new Error(install);
  if (path === undefined) console.warn(`Skipped: ${install}`);
  return { path, install };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or not ours to run: both mean to look further.
  }
}
