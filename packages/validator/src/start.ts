import { reach } from './connect/connect.ts';
import { asMessage, type Finding, finding, isClean } from './findings/finding.ts';
import { secretMask } from './findings/mask-secrets.ts';
import { asPlainJson } from './findings/plain-object.ts';
import { reasonOf } from './findings/plain-text.ts';
import { checkStart, inStep, type StartOptions, type StartSettings } from './input/start-options.ts';
import { startClock } from './network/clock.ts';
import { openNetwork } from './network/network.ts';
import {
  callTools,
  checkTerms,
  createRun,
  findAuthorization,
  listOffers,
  openConnection,
  type Run,
} from './run-steps.ts';
import { entriesOf } from './snapshot/entries.ts';
import { type Categories, categoriesOf, type Entries } from './snapshot/snapshot.ts';

/** The result of `start`: plain JSON that can be stored and compared. */
export interface StartResult {
  /** No finding is an `ERROR`, and the handshake completed. */
  status: boolean;
  /** The findings as `CODE location: text`. */
  messages: string[];
  findings: Finding[];
  categories: Categories;
  entries: Entries;
}

/**
 * Inspects an MCP server and checks its payment terms, within `timeout` milliseconds (default 10,000). Never throws: problems of the
 * input or the server are `findings`, and results from before a failure are kept. **Really calls tools**: by default each one
 * without `destructiveHint: true`, see `probe`. Never pays.
 */
export async function start(options: StartOptions): Promise<StartResult> {
  const { findings, settings } = checkStart(options);
  if (settings === undefined) return resultOf({ seen: {}, findings, isReachable: false });
  const run = await runValidation(settings);
  run.findings.unshift(...findings);
  const result = await inStep('classify', settings.onProgress, () => resultOf(run));
  return inStep('snapshot', settings.onProgress, () => secretMask(settings)(asPlainJson(result)));
}

function resultOf({ seen, findings: found, isReachable }: Pick<Run, 'seen' | 'findings' | 'isReachable'>): StartResult {
  const entries = entriesOf(seen);
  const findings = found.map(withoutEvidence);
  const supportsMcp = seen.session !== undefined;
  return {
    status: supportsMcp && isClean(findings),
    messages: findings.map(asMessage),
    findings,
    categories: categoriesOf(entries, { isReachable, supportsMcp }),
    entries,
  };
}

/** Only assessments tell the exchange that shows a finding. */
function withoutEvidence({ code, severity, location, text }: Finding): Finding {
  return { code, severity, location, text };
}

/** Runs the steps connect, discover, probe and validate within one deadline. */
async function runValidation(settings: StartSettings): Promise<Run> {
  const clock = startClock(settings);
  const network = openNetwork(settings, clock);
  const run = createRun({ settings, network, clock });
  try {
    await runSteps(run);
  } catch (error) {
    // Not expected; but results from before an error are still useful.
    run.findings.push(finding('CON-004', 'start', `The run was interrupted: ${reasonOf(error)}`));
  } finally {
    await run.seen.session?.close();
    clock.release();
    await network.close();
  }
  return run;
}

async function runSteps(run: Run): Promise<void> {
  const { network } = run;
  const { endpoint, headers, onProgress } = run.settings;
  await inStep('connect', onProgress, async () => {
    const found = new AbortController();
    const options = { network, signal: found.signal };
    const reaching = endpoint === null ? Promise.resolve(undefined) : reach(endpoint, headers, options);
    await openConnection(run, { reaching, onSession: () => found.abort() });
  });
  await inStep('discover', onProgress, async () => {
    await listOffers(run);
    await findAuthorization(run);
  });
  const { challenged } = network;
  await inStep('probe', onProgress, async () => {
    await callTools(run);
    // Some servers require authorization only for tool calls.
    if (network.challenged !== challenged) await findAuthorization(run);
  });
  await inStep('validate', onProgress, () => checkTerms(run));
}
