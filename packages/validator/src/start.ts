import { createScrubber, scrubJson } from '@schemakit/http';
import { connect, type Reach, reach } from './connect/connect.ts';
import { explainFailure } from './connect/explain-failure.ts';
import { asMessage, type Finding, finding, isClean } from './findings/finding.ts';
import { checkStart, inStep, type StartOptions, type StartSettings } from './input/start-options.ts';
import { discover } from './list/discover.ts';
import { type Clock, startClock } from './network/clock.ts';
import { type Network, openNetwork } from './network/network.ts';
import { discoverOAuth } from './oauth/discover-oauth.ts';
import { checkPayments, type Gate } from './payment/check-payment.ts';
import { signalInHttp } from './probe/payment-signal.ts';
import { probeFindings, wayFinding } from './probe/probe-findings.ts';
import { probeTools } from './probe/probe-tools.ts';
import { entriesOf, type Seen } from './snapshot/entries.ts';
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
  return inStep('snapshot', settings.onProgress, () => withoutSecrets(asPlainJson(result), settings));
}

function resultOf({ seen, findings, isReachable }: Run): StartResult {
  const entries = entriesOf(seen);
  const supportsMcp = seen.session !== undefined;
  return {
    status: supportsMcp && isClean(findings),
    messages: findings.map(asMessage),
    findings,
    categories: categoriesOf(entries, { isReachable, supportsMcp }),
    entries,
  };
}

/** Normalizes numbers that JSON cannot represent, such as 1e400 and -0, so that a result survives a file unchanged. */
function asPlainJson(result: StartResult): StartResult {
  return JSON.parse(JSON.stringify(result)) as StartResult;
}

/** Masks credentials that the server repeats, because results end up in reports. */
function withoutSecrets(result: StartResult, { headers, stdio, endpoint }: StartSettings): StartResult {
  const secrets = [
    ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]),
    ...Object.values(stdio?.env ?? {}),
    ...(endpoint?.searchParams.values() ?? []),
  ];
  if (secrets.length === 0) return result;
  return scrubJson(result, createScrubber(secrets)) as unknown as StartResult;
}

/** The state of a run. Each step adds to it, so that results survive a later failure. */
interface Run {
  seen: Seen;
  findings: Finding[];
  isReachable: boolean;
}

/** Stands for the tool name if the endpoint itself requires payment. */
const ENDPOINT = '(endpoint)';

/** Names of headers with credentials. */
const CREDENTIAL = /auth|cookie|key|token|secret/i;

/** Runs the steps connect, discover, probe and validate within one deadline. */
async function runValidation(settings: StartSettings): Promise<Run> {
  const clock = startClock(settings);
  const network = openNetwork(settings, clock);
  const run: Run = { seen: { settings }, findings: [], isReachable: false };
  try {
    await runSteps(run, { settings, network, clock });
  } catch (error) {
    // Not expected; but results from before an error are still useful.
    run.findings.push(
      finding(
        'CON-004',
        'start',
        `The run was interrupted: ${error instanceof Error ? error.message : 'no reason given'}`,
      ),
    );
  } finally {
    await run.seen.session?.close();
    clock.release();
    await network.close();
  }
  return run;
}

interface RunContext {
  settings: StartSettings;
  network: Network;
  clock: Clock;
}

async function runSteps(run: Run, { settings, network, clock }: RunContext): Promise<void> {
  const { endpoint, headers, probe: mode, probeLimits: limits, onProgress } = settings;
  const { attempts, reached } = await inStep('connect', onProgress, async () => {
    const found = new AbortController();
    const options = { network, signal: found.signal };
    const reaching = endpoint === null ? Promise.resolve(undefined) : reach(endpoint, headers, options);
    const isEventStream = async (): Promise<boolean> => answersWithEvents(await reaching);
    const connection = await connect(settings, { network, clock, isEventStream });
    run.seen.session = connection.session;
    // Some servers never answer HEAD; a session proves that the server is reachable.
    if (connection.session !== undefined) found.abort();
    return { attempts: connection.attempts, reached: await reaching };
  });
  const traces = attempts.flatMap(({ exchange }) => exchange.http);
  const { session } = run.seen;
  run.isReachable = reached?.isReachable === true || traces.length > 0 || session !== undefined;

  const gates: Gate[] = [];
  if (session === undefined) {
    run.findings.push(
      ...explainFailure({
        attempts,
        reach: reached,
        isLate: clock.remaining() === 0,
        isAborted: settings.signal?.aborted === true,
        privateOrigins: settings.privateOrigins,
      }),
    );
    const signal = signalInHttp(traces);
    if (signal !== undefined) gates.push({ toolName: ENDPOINT, signal });
  }

  await inStep('discover', onProgress, async () => {
    if (session !== undefined) {
      const { listed, findings, complete, signal } = await discover(session, clock);
      run.seen.listed = listed;
      run.seen.lists = complete;
      run.findings.push(...findings);
      if (signal !== undefined) {
        gates.push({ toolName: ENDPOINT, signal });
        run.findings.push(wayFinding(signal, 'The list of tools'));
      }
    }
    if (endpoint === null || !run.isReachable) return;
    await runOAuthDiscovery(run, endpoint, { settings, network, clock });
  });
  const { challenged } = network;

  const tools = run.seen.listed?.tools ?? [];
  await inStep('probe', onProgress, async () => {
    if (session === undefined) return;
    const probed = await probeTools(session, tools, { mode, limits, clock });
    run.seen.probed = probed;
    run.findings.push(...probeFindings(probed, tools, { isListed: run.seen.lists?.tools !== false, why: clock.why() }));
    for (const { name, signal } of probed) if (signal !== undefined) gates.push({ toolName: name, signal });
    // Some servers require authorization only for tool calls.
    if (endpoint !== null && network.challenged !== challenged)
      await runOAuthDiscovery(run, endpoint, { settings, network, clock });
  });
  await inStep('validate', onProgress, () => {
    const { x402, findings } = checkPayments(gates);
    run.seen.x402 = x402;
    run.findings.push(...findings);
  });
}

/** Replaces the results of an earlier discovery. */
async function runOAuthDiscovery(run: Run, endpoint: URL, { settings, network, clock }: RunContext): Promise<void> {
  const earlier = run.seen.oauth;
  // Slow metadata must leave time for the tools.
  const part = clock.part(1 / 2);
  const hasCredentials = Object.keys(settings.headers).some((name) => CREDENTIAL.test(name));
  const answersWithout = run.seen.session !== undefined && !hasCredentials;
  const oauth = await clock.within(discoverOAuth(endpoint, { network, clock: part, answersWithout }));
  part.release();
  run.seen.oauth = oauth ?? (earlier && { ...earlier, isComplete: false });
  if (oauth === undefined) return;
  run.findings = [...run.findings.filter((found) => !earlier?.findings.includes(found)), ...oauth.findings];
}

function answersWithEvents(reached: Reach | undefined): boolean {
  return reached?.isReachable === true && (reached.headers['content-type'] ?? '').startsWith('text/event-stream');
}
