import { envFiles, readSecrets } from './read-secrets.ts';
import { readSettings, type Settings } from './read-settings.ts';

/** A hint of the library, which addresses programs, in words of the command line. A command at the end has no full stop, to be copied. */
export function commandHint(hint: string): string {
  return hint
    .replace(/; in a program, loadSchema\(\{.*?\}\)\.?/s, '')
    .replace(', ask for less, or raise `timeoutMs` or `idleTimeoutMs`', ', or ask for less')
    .replace(/Set prices: .*?, per million tokens/, 'Use --prices <input>,<output>, per million tokens')
    .replace(
      /Pass the schema that has it in schemas\.?/,
      'Put its schema into schemas/, or name its file with --schema <path>.',
    )
    .replace('Pass only one of them in schemas.', 'Name only one of them, with --schema <path>.')
    .replace('agent: { allowDestructive: true }.', '--allow-destructive')
    .replace(/Pass it in serverParams, or set (\S+) in the environment of the server\./, (_, name) =>
      secretsHint([name]),
    );
}

/** Where to set secrets; see docs/command.md, "Secrets". */
export function secretsHint(names: readonly string[], settings: Settings = readSettings()): string {
  const lines = names.map((name) => `${name}=<value>`).join(', ');
  const [shared = ''] = envFiles(settings);
  return `Add ${lines} to .env of the project, to the file of --env-file, or to ${shared}; or set ${names.length === 1 ? 'it' : 'them'} in the environment.`;
}

/** Where the values of rejected secrets came from. Undefined if none is set. */
export function rejectedHint(names: readonly string[], envFile: string | undefined): string | undefined {
  const { places } = readSecrets(readSettings(), { envFile });
  const set = names.flatMap((name) => (places[name] === undefined ? [] : [`${name} in ${places[name]}`]));
  return set.length === 0 ? undefined : `Check ${set.join(', ')}.`;
}
