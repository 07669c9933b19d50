import { type CompareResult, McpServerValidator } from '@schemakit/validator';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { type InspectionFormat, inspectionResult } from '../inspection/inspection-result.ts';
import { readEarlierResult } from '../inspection/read-earlier-result.ts';
import { type InspectFlags, readTarget } from '../inspection/read-target.ts';
import { showSteps } from '../inspection/show-steps.ts';
import type { CommandResult } from '../output/command-result.ts';

/** `schemakit inspect <url>`: tells what an MCP server offers, what is wrong with it, and what changed since an earlier result. */
export async function inspect(flags: InspectFlags, endpoint?: string): Promise<CommandResult> {
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
