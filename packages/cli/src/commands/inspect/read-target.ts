import type { StartOptions } from '@schemakit/validator';
import { type CommandResult, usageError } from '../../output/command-result.ts';
import { canAsk } from '../../output/confirm.ts';
import { type ChainFlags, chainOptions, WRONG_NODE } from '../chain-nodes.ts';

export interface InspectFlags extends ChainFlags {
  /** Whether to assess all layers. */
  all: boolean;
  command?: string;
  env?: readonly string[];
  header?: readonly string[];
  privateOrigin?: readonly string[];
  probe: NonNullable<StartOptions['probe']>;
  /** Whether `--probe all` may call tools that may write without asking. */
  yes: boolean;
  timeout?: number;
  compare?: string;
  failOn: 'error' | 'warning' | 'change' | 'never';
  sarif: boolean;
  html: boolean;
  isJson?: boolean;
}

type Target = Pick<StartOptions, 'endpoint' | 'stdio' | 'headers' | 'privateOrigins'>;

/** The server to inspect, or what is wrong with the flags. */
export function readTarget(
  flags: InspectFlags,
  endpoint: string | undefined,
): { ok: true; target: Target } | { ok: false; result: CommandResult } {
  const { command, env = [], header = [], privateOrigin: privateOrigins = [] } = flags;
  const words = command === undefined ? [] : splitCommand(command);
  const pairs = header.map((line) => /^([^:\s]+):\s*(.*)$/s.exec(line));
  const broken = header[pairs.indexOf(null)];
  const missing = env.find((name) => process.env[name] === undefined);
  const misplaced = header.length > 0 ? '--header' : privateOrigins.length > 0 ? '--private-origin' : undefined;
  const outputs = Object.entries({ '--sarif': flags.sarif, '--html': flags.html, '--json': flags.isJson })
    .filter(([, isWanted]) => isWanted)
    .map(([name]) => name);
  const rules: [isBroken: boolean, error: string, fix: string][] = [
    [
      command === undefined && endpoint === undefined,
      'A server is required: its URL, or --command.',
      'Run: schemakit inspect https://tools.example.com/mcp',
    ],
    [command !== undefined && endpoint !== undefined, 'A URL and --command exclude each other.', 'Use one of them.'],
    [
      endpoint !== undefined && env.length > 0,
      '--env needs --command.',
      'Remove --env, or start the server with --command.',
    ],
    [
      command !== undefined && misplaced !== undefined,
      `${misplaced} needs the URL of a server.`,
      'Remove it; use --env to pass environment variables.',
    ],
    [
      flags.failOn === 'change' && flags.compare === undefined,
      '--fail-on change needs an earlier result.',
      'Add --compare <file>, with the output of schemakit inspect --json.',
    ],
    [
      flags.probe === 'all' && !flags.yes && !canAsk(),
      '--probe all may call tools that write, and cannot ask without a terminal.',
      'Add --yes to call them, or leave out --probe all to call only read-only tools.',
    ],
    [
      flags.all && command !== undefined,
      '--all needs the URL of an endpoint.',
      'Pass the URL, or leave out --all to inspect the server that --command starts.',
    ],
    [
      !flags.all && (flags.rpc !== undefined || flags.ipfsGateway !== undefined),
      '--rpc and --ipfs-gateway need --all.',
      'Add --all, which reads the agent on its chain, or remove them.',
    ],
    [chainOptions(flags) === undefined, ...WRONG_NODE],
    [outputs.length > 1, `${outputs.join(' and ')} exclude each other.`, 'Use one of them.'],
    [
      flags.timeout !== undefined && (!Number.isSafeInteger(flags.timeout) || flags.timeout < 1),
      '--timeout takes a whole number of milliseconds greater than 0.',
      'Write it in digits, such as --timeout 30000.',
    ],
    [broken !== undefined, `Invalid header: ${broken}`, 'Write --header "<name>: <value>".'],
    [words === undefined, 'Unclosed quote in --command.', 'Close the quote.'],
    [
      command !== undefined && words?.length === 0,
      '--command is empty.',
      'Write the command that starts the server, with its arguments.',
    ],
    [
      missing !== undefined,
      `The environment variable ${missing} is not set.`,
      `Set ${missing} in the environment of this command.`,
    ],
  ];
  const rule = rules.find(([isBroken]) => isBroken);
  if (rule !== undefined) return { ok: false, result: usageError(rule[1], rule[2]) };
  const [program, ...args] = words ?? [];
  if (program !== undefined) {
    const given = Object.fromEntries(env.map((name) => [name, process.env[name] ?? '']));
    return { ok: true, target: { stdio: { command: program, args, env: given } } };
  }
  const headers = Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])));
  return { ok: true, target: { ...(endpoint !== undefined && { endpoint }), headers, privateOrigins } };
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
