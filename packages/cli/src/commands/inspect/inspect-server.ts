import { readFileSync, statSync } from 'node:fs';
import {
  type Assessment,
  type AssessmentComparison,
  type AssessOptions,
  assess,
  type CompareResult,
  compareAssessments,
  layerNames,
  McpServerValidator,
  type StartOptions,
  type StartResult,
  toHtml,
  toolsThatMayWrite,
  toSarif,
  toText,
} from '@schemakit/validator';
import { type CommandResult, type Failure, failed, usageError } from '../../output/command-result.ts';
import { ask } from '../../output/confirm.ts';
import { openProgressLine } from '../../output/progress-line.ts';
import { printable } from '../../output/terminal-text.ts';
import { chainOptions } from '../chain-nodes.ts';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { type InspectFlags, readTarget } from './read-target.ts';

type Result = StartResult | Assessment;
type Comparison = CompareResult | AssessmentComparison;

export async function inspectServer(flags: InspectFlags, endpoint?: string): Promise<CommandResult> {
  const asked = readTarget(flags, endpoint);
  if (!asked.ok) return withoutPage(asked.result, flags);
  const before = flags.compare === undefined ? undefined : readEarlierResult(flags.compare, flags.all);
  if (before?.ok === false) return withoutPage(before.result, flags);
  const { probe, timeout } = flags;
  const broken = new AbortController();
  const shared = { ...(timeout !== undefined && { timeout }), signal: broken.signal };
  // A server started by --command must not outlive this process.
  const untilEnd = <T>(run: Promise<T>): Promise<T> => {
    breakOffOnSignals(async () => {
      broken.abort();
      await run;
    });
    return run;
  };
  const start = (mode: typeof probe): Promise<StartResult> =>
    untilEnd(McpServerValidator.start({ ...asked.target, ...shared, onProgress: showSteps(), probe: mode }));
  const listed = probe === 'all' && !flags.yes ? await start('none') : undefined;
  if (listed !== undefined && !(await mayCallAll(listed))) return withoutPage(declined, flags);
  const { endpoint: url = '', headers = {}, privateOrigins = [] } = asked.target;
  const after: Result = flags.all
    ? await untilEnd(
        assess({
          url,
          headers,
          privateOrigins,
          probe,
          ...shared,
          onLayer: showLayers(),
          erc8004: chainOptions(flags) ?? {},
        }),
      )
    : listed?.categories.supportsMcp === false
      ? listed
      : await start(probe);
  // Invalid options have no report.
  if ((flags.html || flags.sarif) && failureOf(after) === 'usage')
    return withoutPage(failed('usage', { error: reasonOf(after, undefined, 'error') }), flags);
  const comparison = before === undefined ? undefined : compared(before.value, after);
  const format: InspectionFormat | undefined = flags.sarif ? 'sarif' : flags.html ? 'html' : undefined;
  return inspectionResult(after, { comparison, format, failOn: flags.failOn });
}

function compared(before: Result, after: Result): Comparison {
  return 'layers' in after ? compareAssessments({ before, after }) : McpServerValidator.compare({ before, after });
}

const declined = failed('other', {
  error: 'No tool was called.',
  fix: 'Leave out --probe all to call only read-only tools.',
});

/** Lists the tools that may write, and asks whether to call them. */
async function mayCallAll({ entries }: StartResult): Promise<boolean> {
  const names = toolsThatMayWrite(entries.tools);
  if (names.length === 0) return true;
  const lines = names.map((name) => `  ${printable(name).slice(0, 200)}\n`).join('');
  const isOne = names.length === 1;
  process.stderr.write(`${isOne ? 'This tool' : 'These tools'} may write:\n${lines}`);
  return ask(`Call ${isOne ? 'it' : `each of these ${names.length} tools`} once, with generated arguments?`);
}

/** Usage errors go to stderr, so that they do not end up in a file meant for HTML or SARIF. */
function withoutPage(result: CommandResult, { html, sarif }: InspectFlags): CommandResult {
  return html || sarif ? { ...result, isServer: true } : result;
}

const steps = {
  connect: 'Connecting',
  discover: 'Listing tools, prompts and resources',
  probe: 'Calling tools',
  validate: 'Checking payment terms and authorization',
  classify: 'Classifying findings',
  snapshot: 'Building the report',
} as const;

function showSteps(): NonNullable<StartOptions['onProgress']> {
  const line = openProgressLine();
  return ({ step, state }) => (state === 'begin' ? line.show(`${steps[step]}…`) : line.clear());
}

const marks = { passed: '✓', failed: '✗', 'not-detected': '–', 'not-evaluated': '?' } as const;

/** Shows each layer with its state as it ends. */
function showLayers(): NonNullable<AssessOptions['onLayer']> {
  const line = openProgressLine();
  const ended = new Map<string, string>();
  const show = (): void => line.show(layerNames.map((name) => `${name} ${ended.get(name) ?? '…'}`).join('  '));
  show();
  return (name, { state }) => {
    ended.set(name, marks[state]);
    if (ended.size < layerNames.length) show();
    else line.clear();
  };
}

type Read = { ok: true; value: Result } | { ok: false; result: CommandResult };

function readEarlierResult(file: string, isAssessment: boolean): Read {
  const fix = `Use a file with the output of schemakit inspect ${isAssessment ? '--all ' : ''}--json.`;
  const refused = (error: string): Read => ({ ok: false, result: usageError(error, fix) });
  try {
    const stats = statSync(file);
    // Devices such as /dev/zero never end.
    if (stats.isDirectory() || stats.isCharacterDevice()) return refused(`${file} is not a file.`);
    const value = JSON.parse(decoded(readFileSync(file))) as Result;
    const compareWith = isAssessment ? compareAssessments : McpServerValidator.compare;
    const { status, findings } = compareWith({ before: value, after: value });
    if (status) return { ok: true, value };
    const parts = Object.keys(Object(value));
    if (parts.includes('entries') && parts.includes('layers') !== isAssessment)
      return refused(`${file} was written ${isAssessment ? 'without' : 'with'} --all.`);
    return refused(`${file} is not an inspection result: ${findings[0]?.text}.`);
  } catch (error) {
    const text = `${file} cannot be read: ${(error as Error).message}`;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? { ok: false, result: failed('notFound', { error: text, fix }) } : refused(text);
  }
}

/** PowerShell writes UTF-16, and many programs a byte order mark. */
function decoded(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}

type InspectionFormat = 'sarif' | 'html';

type FailOn = InspectFlags['failOn'];

/** `status` describes the server; the exit status depends on `--fail-on`. */
function inspectionResult(
  result: Result,
  {
    comparison,
    format,
    failOn,
  }: { comparison: Comparison | undefined; format: InspectionFormat | undefined; failOn: FailOn },
): CommandResult {
  const report = comparison === undefined ? {} : { comparison };
  const ended = { passes: passes(result, comparison, failOn), failure: failureOf(result) };
  if (format !== undefined) {
    const text = () => (format === 'html' ? toHtml(result, report) : JSON.stringify(toSarif(result, report), null, 2));
    return { document: { status: true }, isServer: true, text, ...ended };
  }
  const error = result.status && ended.passes ? {} : { error: reasonOf(result, comparison, failOn) };
  const document = { ...result, ...error, ...report };
  return { document, text: () => toText(result, report), textHasError: true, ...ended };
}

function passes({ findings, status }: Result, comparison: Comparison | undefined, failOn: FailOn): boolean {
  if (failOn === 'never') return true;
  const errors = findings.some(({ severity }) => severity === 'ERROR');
  const changes = comparison?.hasChanges === true || comparison?.status === false;
  if (failOn === 'change') return !changes;
  const warnings = [...findings, ...(comparison?.findings ?? [])].some(({ severity }) => severity === 'WARNING');
  return status && !errors && (failOn === 'error' || !warnings);
}

function reasonOf({ messages, findings }: Result, comparison: Comparison | undefined, failOn: FailOn): string {
  if (failOn === 'change') return 'The server has changed.';
  const all = [...findings, ...(comparison?.findings ?? [])];
  const texts = [...messages, ...(comparison?.messages ?? [])];
  const worst = ['ERROR', 'WARNING'].map((weight) => all.findIndex(({ severity }) => severity === weight));
  return texts[worst.find((index) => index !== -1) ?? 0] ?? 'The server did not answer as an MCP server.';
}

function failureOf({ findings, categories }: Result): Failure {
  if (findings.some(({ code, severity }) => severity === 'ERROR' && /^(?:VAL|ASM)-/.test(code))) return 'usage';
  return categories.isReachable || categories.supportsMcp ? 'validation' : 'upstream';
}
