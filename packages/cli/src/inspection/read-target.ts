import type { StartOptions } from '@schemakit/validator';
import { type CommandResult, misused } from '../output/command-result.ts';
import type { FailOn } from './inspection-result.ts';

/** The flags of `schemakit inspect`. */
export interface InspectFlags {
  command?: string;
  env?: readonly string[];
  header?: readonly string[];
  privateOrigin?: readonly string[];
  probe: NonNullable<StartOptions['probe']>;
  timeout: number;
  compare?: string;
  failOn: FailOn;
  sarif: boolean;
  html: boolean;
  /** Whether `--json` was written. */
  isJson?: boolean;
}

type Target = Pick<StartOptions, 'endpoint' | 'stdio' | 'headers' | 'privateOrigins'>;
type Refusal = { ok: false; result: CommandResult };

/** What is to be looked at, or why the flags do not say it. */
export function readTarget(
  {
    command,
    env = [],
    header = [],
    privateOrigin: privateOrigins = [],
    sarif,
    html,
    isJson = false,
    timeout,
    failOn,
    compare,
  }: InspectFlags,
  endpoint: string | undefined,
): { ok: true; target: Target } | Refusal {
  const refused = (error: string, fix: string): Refusal => ({ ok: false, result: misused(error, fix) });
  if (command === undefined && endpoint === undefined) {
    return refused(
      'Name the address of a server, or --command.',
      'Run: schemakit inspect https://tools.example.com/mcp',
    );
  }
  if (command !== undefined && endpoint !== undefined) {
    return refused('An address and --command are two servers.', 'Name one of them.');
  }
  if (endpoint !== undefined && env.length > 0) {
    return refused('--env is for servers that are started.', 'Leave it out, or start the server with --command.');
  }
  const misplaced = header.length > 0 ? '--header' : privateOrigins.length > 0 ? '--private-origin' : undefined;
  if (command !== undefined && misplaced !== undefined) {
    return refused(`${misplaced} is for servers with an address.`, 'Leave it out; --env hands over variables.');
  }
  if (failOn === 'change' && compare === undefined) {
    return refused(
      '--fail-on change needs an earlier result.',
      'Add --compare <file>, which schemakit inspect --json has written.',
    );
  }
  const outputs = [sarif && '--sarif', html && '--html', isJson && '--json'].filter((name) => name !== false);
  if (outputs.length > 1)
    return refused(
      `${outputs.join(' and ')} are ${outputs.length === 2 ? 'two' : 'three'} outputs.`,
      'Choose one of them.',
    );
  if (!Number.isSafeInteger(timeout) || timeout < 1) {
    return refused(
      '--timeout takes a whole number of milliseconds greater than 0.',
      'Write it in digits, such as --timeout 30000.',
    );
  }
  const pairs = header.map((line) => /^([^:\s]+):\s*(.*)$/s.exec(line));
  const broken = pairs.indexOf(null);
  if (broken !== -1) return refused(`${header[broken]} is no header.`, 'Write a name, a colon and a value.');
  const headers = Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])));
  if (command === undefined) {
    return { ok: true, target: { ...(endpoint !== undefined && { endpoint }), headers, privateOrigins } };
  }
  const words = splitCommand(command);
  if (words === undefined) return refused('--command has a quote that does not end.', 'Close it.');
  const [program, ...args] = words;
  if (program === undefined)
    return refused('--command is empty.', 'Write the command of a server, with its arguments.');
  const given = env.map((name) => [name, process.env[name]] as const);
  const missing = given.find(([, value]) => value === undefined);
  if (missing !== undefined)
    return refused(`There is no variable ${missing[0]}.`, 'Set it in the environment of this command.');
  return {
    ok: true,
    target: { stdio: { command: program, args, env: Object.fromEntries(given) as Record<string, string> } },
  };
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;

/** The words of a command as a shell would split them: single and double quotes keep spaces, a backslash keeps what follows. Undefined where a quote does not end. */
export function splitCommand(command: string): string[] | undefined {
  if (command.replaceAll(WORD, '').trim() !== '') return undefined;
  const words = command.match(WORD) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
      (_, plain?: string, quoted?: string, escaped?: string) =>
        plain ?? quoted?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '',
    ),
  );
}
