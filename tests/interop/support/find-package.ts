import { join } from 'node:path';

/**
 * Looks for a package that a test talks to. Where it is missing, tests that need it are skipped with a line that says so. In CI
 * this throws, so that no pipeline is green because a peer is absent.
 *
 * @param resolve Answers the path of the file that is needed, or throws.
 */
export function findPackage(name: string, resolve: () => string): string | undefined {
  try {
    return resolve();
  } catch (cause) {
    const line = `${name} is not installed: npm install`;
    if (process.env.CI) throw new Error(line, { cause });
    console.warn(`Skipped: ${line}`);
    return undefined;
  }
}

/** The command, to be started with Node. */
export const schemakit: string = join(import.meta.dirname, '../../../packages/cli/bin/schemakit.js');
