import { readFileSync } from 'node:fs';
import { type CompareResult, McpServerValidator, type StartOptions, type StartResult } from '@schemakit/validator';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { type FailOn, type InspectionFormat, inspectionResult } from '../inspection/inspection-result.ts';
import { showSteps } from '../inspection/show-steps.ts';
import { splitCommand } from '../inspection/split-command.ts';
import { type CommandResult, failed, misused } from '../output/command-result.ts';

export interface InspectFlags {
  command?: string;
  env?: readonly string[];
  header?: readonly string[];
  probe: NonNullable<StartOptions['probe']>;
  timeout: number;
  compare?: string;
  failOn: FailOn;
  sarif: boolean;
  html: boolean;
}

/** `schemakit inspect <url>`: tells what an MCP server offers, what is wrong with it, and what changed since an earlier result. */
export async function inspect(flags: InspectFlags, endpoint?: string): Promise<CommandResult> {
  const asked = readTarget(flags, endpoint);
  if (!asked.ok) return asked.result;
  const before = flags.compare === undefined ? undefined : readResult(flags.compare);
  if (before?.ok === false) return before.result;
  const { probe, timeout } = flags;
  const broken = new AbortController();
  // A server that was started must not outlive the command.
  const run = McpServerValidator.start({
    ...asked.target,
    probe,
    timeout,
    onProgress: showSteps(),
    signal: broken.signal,
  });
  breakOffOnSignals(async () => {
    broken.abort();
    await run;
  });
  const after = await run;
  const comparison: CompareResult | undefined =
    before === undefined ? undefined : McpServerValidator.compare({ before: before.value, after });
  const format: InspectionFormat | undefined = flags.sarif ? 'sarif' : flags.html ? 'html' : undefined;
  return inspectionResult(after, { comparison, format, failOn: flags.failOn });
}

type Target = Pick<StartOptions, 'endpoint' | 'stdio' | 'headers'>;
type Refusal = { ok: false; result: CommandResult };

function readTarget(
  { command, env = [], header = [], sarif, html, timeout, failOn, compare }: InspectFlags,
  endpoint: string | undefined,
): { ok: true; target: Target } | Refusal {
  const refused = (error: string, fix: string): Refusal => ({ ok: false, result: misused(error, fix) });
  if ((command === undefined) === (endpoint === undefined)) {
    return refused(
      'Name the address of a server, or --command.',
      'Run: schemakit inspect https://tools.example.com/mcp',
    );
  }
  if (failOn === 'change' && compare === undefined) {
    return refused(
      '--fail-on change needs an earlier result.',
      'Add --compare <file>, which schemakit inspect --json has written.',
    );
  }
  if (sarif && html) return refused('--sarif and --html are two outputs.', 'Choose one of them.');
  if (!Number.isSafeInteger(timeout) || timeout < 1) {
    return refused('--timeout takes a whole number of milliseconds.', 'Write it such as --timeout 30000.');
  }
  const pairs = header.map((line) => /^([^:\s]+):\s*(.*)$/s.exec(line));
  const broken = pairs.indexOf(null);
  if (broken !== -1) return refused(`${header[broken]} is no header.`, 'Write a name, a colon and a value.');
  const headers = Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])));
  if (command === undefined) return { ok: true, target: { ...(endpoint !== undefined && { endpoint }), headers } };
  const [program, ...args] = splitCommand(command);
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

/** A result that `inspect --json` printed. */
function readResult(file: string): { ok: true; value: StartResult } | Refusal {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null && 'entries' in value)
      return { ok: true, value: value as StartResult };
    const fix = 'Name a file that schemakit inspect --json has written.';
    return { ok: false, result: failed('validation', { error: `${file} is no result of an inspection.`, fix }) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const message = `${file} cannot be read: ${(error as Error).message}`;
    const fix = 'Name a file that schemakit inspect --json has written.';
    return { ok: false, result: failed(isMissing ? 'notFound' : 'validation', { error: message, fix }) };
  }
}
