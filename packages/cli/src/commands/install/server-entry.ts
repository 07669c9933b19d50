import { resolve } from 'node:path';
import { ownVersion } from '../../run-command.ts';
import type { SettingsPaths } from '../../settings/settings-paths.ts';

/** How a client starts a server. */
export interface ServerEntry {
  type?: 'stdio';
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/**
 * The entry that makes a client start `schemakit run` with these words. Clients start servers in any folder and with hardly any
 * environment: everything is said with absolute paths, or from the project on.
 */
export function serverEntry(
  words: readonly string[],
  { paths: { project, home }, hasType, npx = false }: { paths: SettingsPaths; hasType?: true; npx?: boolean },
): ServerEntry {
  const [, script = ''] = process.argv;
  const npxWords = ['npx', '-y', `@schemakit/cli@${ownVersion()}`];
  // On Windows, npx is a script of the shell.
  const own = npx
    ? process.platform === 'win32'
      ? ['cmd', '/c', ...npxWords]
      : npxWords
    : [process.execPath, resolve(script)];
  const [program = '', ...first] = own;
  return {
    ...(hasType && { type: 'stdio' as const }),
    command: program,
    args: [...first, '--cwd', project.root, 'run', ...words],
    // Secrets stay in the .env file, which the server reads itself.
    ...(process.env.SCHEMAKIT_HOME && { env: { SCHEMAKIT_HOME: home.folder } }),
  };
}
