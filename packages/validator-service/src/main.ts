import { readSettings, type Settings } from './settings.ts';

/** The command `schemakit-validator`. The first line on stdout is `{ "url" }`; logs go to stderr. */
export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  const { settings, findings } = readSettings(env);
  if (settings === undefined) {
    for (const { message, hint } of findings) console.error(`${message} ${hint}`);
    process.exitCode = 2;
    return;
  }
  try {
    const { createService } = await import('./service.ts');
    const { url, close } = await createService({ ...settings, log: process.stderr });
    console.log(JSON.stringify({ url }));
    endOnSignals(close);
  } catch (error) {
    console.error(whyNot(error, settings));
    process.exitCode = 1;
  }
}

/** Why the service does not start, and what to do. */
function whyNot(error: unknown, { host, port }: Settings): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is in use. Set PORT to another, or to 0 for any.`;
  if (code === 'EACCES') return `Port ${port} needs more rights. Set PORT to 1024 or higher.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST ${host} is not an address of this machine.`;
  return `${message}.`;
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
