import { readFileSync, statSync } from 'node:fs';
import { type CompareResult, McpServerValidator, type StartOptions, type StartResult } from '@schemakit/validator';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { type CommandResult, failed, misused } from '../output/command-result.ts';
import { openProgressLine } from '../progress-line.ts';
import { type InspectionFormat, inspectionResult } from './inspection-result.ts';
import { type InspectFlags, readTarget } from './read-target.ts';

/** `schemakit inspect <url>`: tells what an MCP server offers, what is wrong with it, and what changed since an earlier result. */
export async function inspectServer(flags: InspectFlags, endpoint?: string): Promise<CommandResult> {
  const asked = readTarget(flags, endpoint);
  if (!asked.ok) return withoutPage(asked.result, flags);
  const before = flags.compare === undefined ? undefined : readEarlierResult(flags.compare);
  if (before?.ok === false) return withoutPage(before.result, flags);
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

/** A refusal is no page and no SARIF: it goes to stderr, so that no file is made of it. */
function withoutPage(result: CommandResult, { html, sarif }: InspectFlags): CommandResult {
  return html || sarif ? { ...result, isServer: true } : result;
}

const texts = {
  connect: 'Connecting',
  discover: 'Listing what is offered',
  probe: 'Calling tools',
  validate: 'Checking terms and authorization',
  classify: 'Sorting what was found',
  snapshot: 'Building the report',
} as const;

/** Tells a person at a terminal which step is going on, in one line that goes away. */
function showSteps(): NonNullable<StartOptions['onProgress']> {
  const line = openProgressLine();
  return ({ step, state }) => (state === 'begin' ? line.show(`${texts[step]}…`) : line.clear());
}

type Read = { ok: true; value: StartResult } | { ok: false; result: CommandResult };

const FIX = 'Name a file that schemakit inspect --json has written.';

/** A result that `inspect --json` printed, whatever tool wrote it into its file. */
function readEarlierResult(file: string): Read {
  const refused = (error: string): Read => ({ ok: false, result: misused(error, FIX) });
  try {
    const stats = statSync(file);
    // Devices such as /dev/zero have no end.
    if (stats.isDirectory() || stats.isCharacterDevice()) return refused(`${file} is no file.`);
    const value = JSON.parse(decoded(readFileSync(file))) as StartResult;
    const { status, findings } = McpServerValidator.compare({ before: value, after: value });
    if (status) return { ok: true, value };
    return refused(`${file} is no result of an inspection: ${findings[0]?.text}.`);
  } catch (error) {
    const text = `${file} cannot be read: ${(error as Error).message}`;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? { ok: false, result: failed('notFound', { error: text, fix: FIX }) } : refused(text);
  }
}

/** PowerShell writes UTF-16, and many programs a byte order mark. */
function decoded(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}
