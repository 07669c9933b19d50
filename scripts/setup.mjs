// Sets up what `npm test` and `npm run demo` need, and does nothing when it is all there: the packages of the lock file, the
// Node that the project runs on among them, and the build. It runs on whatever Node the machine has (20 is enough).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(root, 'node_modules', '.schemakit-setup.json');
const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};

const packages = hash([join(root, 'package-lock.json')]);
if (stamp.packages !== packages) {
  say('Installing packages (once, and when the lock file changes)');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  save({ packages });
}

const sources = hash([
  join(root, 'tsdown.config.ts'),
  join(root, 'packages', 'validator-service', 'vite.config.ts'),
  join(root, 'packages', 'web', 'build.ts'),
  join(root, 'package-lock.json'),
  ...filesBelow(join(root, 'catalog')),
  ...readdirSync(join(root, 'packages')).flatMap((name) => filesBelow(join(root, 'packages', name, 'src'))),
]);
if (stamp.sources !== sources || !existsSync(join(root, 'packages', 'cli', 'dist', 'main.js'))) {
  say('Building');
  run(join(root, 'node_modules', '.bin', 'node'), [
    join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs'),
    '--logLevel',
    'error',
  ]);
  run(join(root, 'node_modules', '.bin', 'node'), [
    join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    join(root, 'packages', 'validator-service'),
    '--logLevel',
    'error',
  ]);
  run(join(root, 'node_modules', '.bin', 'node'), [join(root, 'packages', 'web', 'build.ts')]);
  save({ packages, sources });
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  say(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}.`);
  process.exit(status ?? 1);
}

function hash(files) {
  const digest = createHash('sha256');
  for (const file of files) digest.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return digest.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .filter((file) => !file.endsWith('.test.ts'));
}

function save(done) {
  writeFileSync(stampFile, JSON.stringify(done));
}

function say(line) {
  process.stderr.write(`${line}…\n`);
}
