import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../node_modules/.peers/github', import.meta.url));
const version = '23.0.2';
const run = promisify(execFile);

/**
 * The file with GitHub's OpenAPI document (MIT, 13 MB). Its package is 385 MB unpacked, too much for every installation, so that one file
 * is taken from it when a benchmark needs it. Undefined where npm cannot get it.
 */
export async function githubDocument(): Promise<string | undefined> {
  const file = join(folder, 'package', 'generated', 'api.github.com.json');
  if (existsSync(file)) return file;
  process.stderr.write(`Getting GitHub's document into ${folder}…\n`);
  try {
    await mkdir(folder, { recursive: true });
    await run('npm', ['pack', `@octokit/openapi@${version}`, '--silent'], { cwd: folder });
    const archive = join(folder, `octokit-openapi-${version}.tgz`);
    await run('tar', ['-xzf', archive, 'package/generated/api.github.com.json'], { cwd: folder });
    await rm(archive);
    return file;
  } catch (error) {
    process.stderr.write(`GitHub's document cannot be had and is left out: ${String(error).slice(0, 500)}\n`);
    return undefined;
  }
}
