import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

// Unit tests start no process, so that they are fast and cannot disturb each other. A file that needs one is named `*.e2e.test.ts`.
function refuse(): never {
  throw new Error('A unit test must not start a process: name the file *.e2e.test.ts.');
}

for (const name of ['spawn', 'spawnSync', 'fork', 'exec', 'execSync', 'execFile', 'execFileSync'] as const) {
  Object.defineProperty(childProcess, name, { value: refuse });
}
syncBuiltinESMExports();
