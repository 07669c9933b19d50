import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Global set-up of the projects that run what is built: builds `packages/*\/dist` anew where it is stale, and fails the run where it cannot. */
export function setup(): void {
  const script = join(import.meta.dirname, '../../scripts/setup.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('The build failed, so tests of the built command would test an older state.');
}
