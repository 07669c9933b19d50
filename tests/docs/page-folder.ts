import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTideApi } from '../../examples/first-schema/api.ts';
import { projectFolder } from './markdown.ts';

/** What a program printed, with the address of the API and the folder as the page has them. */
export interface Run {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A folder in which the code of one page lives, with the packages of the project at hand and the API that the page talks to. */
export interface PageFolder {
  path: string;
  /** Writes a file of the page, with the API's address and the folder's path in it. Gives its path. */
  write(name: string, text: string): Promise<string>;
  run(command: string, args: readonly string[]): Promise<Run>;
  close(): Promise<void>;
}

// The address that pages and examples/first-schema use.
const writtenAddress = 'http://127.0.0.1:4849';

/** Makes the folder of a page, with `tides.mjs` of the first example in it. */
export async function openPageFolder(): Promise<PageFolder> {
  const path = await mkdtemp(join(tmpdir(), 'schemakit-docs-'));
  const api = await startTideApi();
  await symlink(join(projectFolder, 'node_modules'), join(path, 'node_modules'), 'dir');
  const folder: PageFolder = {
    path,
    async write(name, text) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text.replaceAll(writtenAddress, api.url).replaceAll('/path/to/', `${path}/`));
      return file;
    },
    async run(command, args) {
      const ran = await execute(command, args, path);
      const asWritten = (text: string) => text.replaceAll(api.url, writtenAddress).replaceAll(path, '.');
      return { ...ran, stdout: asWritten(ran.stdout), stderr: asWritten(ran.stderr) };
    },
    async close() {
      api.close();
      await rm(path, { recursive: true, force: true });
    },
  };
  await folder.write('tides.mjs', await readFile(join(projectFolder, 'examples/first-schema/tides.mjs'), 'utf8'));
  return folder;
}

/** Runs a program as a newcomer's shell would: with the project's commands on the path, and a home of its own. */
export function execute(command: string, args: readonly string[], folder: string): Promise<Run> {
  const env = {
    PATH: `${join(projectFolder, 'node_modules', '.bin')}:${process.env.PATH}`,
    HOME: folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    // npm asks a registry for newer versions of itself; documentation needs none.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd: folder, env }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ exitCode, stdout, stderr });
    });
    // A server over stdio exits when its input closes.
    child.stdin?.end();
  });
}
