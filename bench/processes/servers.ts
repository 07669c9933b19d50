import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command's file, as npm links it. */
export const schemakitCommand: string = join(
  dirname(createRequire(import.meta.url).resolve('@schemakit/cli/package.json')),
  'bin',
  'schemakit.js',
);
const rival = fileURLToPath(new URL('../programs/hand-written-server.js', import.meta.url));

/** Arguments for Node that serve schemas over stdio. */
export function schemakitRun(...paths: readonly string[]): string[] {
  return [schemakitCommand, 'run', ...paths];
}

/**
 * Arguments for Node that start the hand-written server.
 *
 * @param root - Origin of the upstream.
 * @param tools - File with the tools that it lists, in place of its own.
 */
export function handWrittenServer(root: string, tools?: string): string[] {
  return [rival, root, ...(tools === undefined ? [] : [tools])];
}
