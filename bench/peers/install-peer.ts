import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const peers = fileURLToPath(new URL('../node_modules/.peers', import.meta.url));

/**
 * Installs packages in a folder of their own, where they stand in nobody's way, and gives the folder. Undefined where npm cannot
 * get them: it is said, and the bench goes on without.
 *
 * @param packages Exact versions by name.
 */
export async function installPeer(
  name: string,
  packages: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const folder = join(peers, name);
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: packages }, undefined, 2);
  const file = join(folder, 'package.json');
  if (existsSync(join(folder, 'complete')) && (await readFile(file, 'utf8')) === manifest) return folder;
  process.stderr.write(`Installing ${name} in ${folder}…\n`);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(file, manifest);
    const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', ...flags], { cwd: folder });
    await writeFile(join(folder, 'complete'), '');
    return folder;
  } catch (error) {
    process.stderr.write(`${name} cannot be installed and is left out: ${String(error).slice(0, 500)}\n`);
    return undefined;
  }
}
