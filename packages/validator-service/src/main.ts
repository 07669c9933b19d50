import { readSettings } from './settings.ts';

/** The command `schemakit-validator`. The first line on stdout is `{ "url" }`; logs go to stderr. */
export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  const { settings, findings } = readSettings(env);
  if (settings === undefined) return fail(findings.map(({ message, hint }) => `${message} ${hint}`));
  const { createService } = await import('./service.ts');
  try {
    const { url, close } = await createService({ ...settings, log: process.stderr });
    console.log(JSON.stringify({ url }));
    endOnSignals(close);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const { host, port } = settings;
    if (code === 'EADDRINUSE')
      return fail([`Port ${port} of ${host} is in use. Set PORT to another, or to 0 for any.`]);
    if (code === 'EACCES') return fail([`Port ${port} needs more rights. Set PORT to 1024 or higher.`]);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return fail([`HOST ${host} is not an address of this machine.`]);
    fail([message]);
  }
}

/** Settings that are wrong end with 2, as wrong flags of a command do. */
function fail(lines: readonly string[]): void {
  for (const line of lines) console.error(line);
  process.exitCode = 2;
}

/** The first signal lets running checks end; the second does not wait. */
function endOnSignals(close: () => Promise<void>): void {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isEnding) process.exit(1);
      isEnding = true;
      close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}
