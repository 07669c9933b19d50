import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandRun, runCommand, startCommand } from './command.ts';
import { mainWith, moduleText } from './schema-module.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A project and a global folder of settings, both empty but for the files that are given. */
export interface CliProject {
  folder: string;
  home: string;
  run(...args: string[]): CommandRun;
  /** The same while this process goes on, for commands that talk to it. */
  start(...args: string[]): Promise<CommandRun>;
  /** The text of a file, from the folder that holds `project` and `home`. */
  read(path: string): string;
  json(path: string): Record<string, unknown>;
  has(path: string): boolean;
}

/** @param files by path, below `project/` and `home/`. */
export async function cliProject(
  files: Readonly<Record<string, string>> = {},
  env: Record<string, string> = {},
): Promise<CliProject> {
  const base = await temporaryFolder({ 'project/.keep': '', ...files });
  const folder = join(base, 'project');
  const home = join(base, 'home');
  const options = { cwd: folder, env: { HOME: base, SCHEMAKIT_HOME: home, ...env } };
  const read = (path: string) => readFileSync(join(base, path), 'utf8');
  return {
    folder,
    home,
    run: (...args) => runCommand(args, options),
    start: (...args) => startCommand(args, options),
    read,
    json: (path) => JSON.parse(read(path)),
    has: (path) => existsSync(join(base, path)),
  };
}

/** The text of a schema `shop` with tools of these names. */
export function shopSchema(names: readonly string[] = ['getThing'], main: Record<string, unknown> = {}): string {
  const { tools } = mainWith() as { tools: { getThing: object } };
  const all = Object.fromEntries(names.map((name) => [name, { ...tools.getThing, description: `Tool ${name}` }]));
  return moduleText(mainWith({ tools: all, ...main }));
}
