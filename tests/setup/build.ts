import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Before tests that run what is built: builds `packages/*\/dist` where it is stale, and fails the run where that fails. */
export function setup(): void {
  const script = join(root, 'scripts/setup.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('The build failed, so tests of the built command would test an older state.');
  // See `env` in vitest.config.ts. Files in temporary folders would fill it run after run.
  rmSync(join(root, 'node_modules/.test-home/compiled'), { recursive: true, force: true });
}
