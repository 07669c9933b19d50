import { connect, type Reach, reach } from './connect/connect.ts';
import { explainFailure } from './connect/explain-failure.ts';
import { type Finding, finding } from './findings/finding.ts';
import { inStep, type StartSettings } from './input/start-options.ts';
import { discover } from './list/discover.ts';
import { type Clock, startClock } from './network/clock.ts';
import { type Network, openNetwork } from './network/network.ts';
import { discoverOAuth } from './oauth/discover-oauth.ts';
import { checkPayments, type Gate } from './payment/check-payment.ts';
import { signalInHttp } from './probe/payment-signal.ts';
import { probeFindings, wayFinding } from './probe/probe-findings.ts';
import { probeTools } from './probe/probe-tools.ts';
import type { Seen } from './snapshot/entries.ts';

/** What a run came to. Every step adds to it, so that a later one that fails leaves what came before. */
export interface Run {
  seen: Seen;
  findings: Finding[];
  isReachable: boolean;
}

/** What the endpoint is called where it asks for payment itself. */
const ENDPOINT = '(endpoint)';

/** Names of headers that let somebody in. */
const CREDENTIAL = /auth|cookie|key|token|secret/i;

/** Looks at a server: connect, discover, probe, validate, all within one deadline. */
export async function validateServer(settings: StartSettings): Promise<Run> {
  const clock = startClock(settings);
  const network = openNetwork(settings, clock);
  const run: Run = { seen: { settings }, findings: [], isReachable: false };
  try {
    await walk(run, { settings, network, clock });
  } catch (error) {
    // Nothing is known to lead here; if something does, what was found before is still worth having.
    run.findings.push(
      finding('CON-004', 'start', `The run broke off: ${error instanceof Error ? error.message : 'no reason given'}`),
    );
  } finally {
    await run.seen.session?.close();
    clock.release();
    await network.close();
  }
  return run;
}

interface Tools {
  settings: StartSettings;
  network: Network;
  clock: Clock;
}

async function walk(run: Run, { settings, network, clock }: Tools): Promise<void> {
  const { endpoint, headers, probe: mode, probeLimits: limits, onProgress } = settings;
  const { attempts, reached } = await inStep('connect', onProgress, async () => {
    const found = new AbortController();
    const asking = { network, signal: found.signal };
    const reaching = endpoint === null ? Promise.resolve(undefined) : reach(endpoint, headers, asking);
    const isEventStream = async (): Promise<boolean> => answersWithEvents(await reaching);
    const connection = await connect(settings, { network, clock, isEventStream });
    run.seen.session = connection.session;
    // Some servers never answer to HEAD; one that talks is reached anyway.
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
        isBrokenOff: settings.signal?.aborted === true,
        privateOrigins: settings.privateOrigins,
      }),
    );
    const signal = signalInHttp(traces);
    if (signal !== undefined) gates.push({ toolName: ENDPOINT, signal });
  }

  await inStep('discover', onProgress, async () => {
    if (session !== undefined) {
      const { offer, findings, complete, signal } = await discover(session, clock);
      run.seen.offer = offer;
      run.seen.lists = complete;
      run.findings.push(...findings);
      if (signal !== undefined) {
        gates.push({ toolName: ENDPOINT, signal });
        run.findings.push(wayFinding(signal, 'The list of tools'));
      }
    }
    if (endpoint === null || !run.isReachable) return;
    await lookAtOAuth(run, endpoint, { settings, network, clock });
  });
  const { challenged } = network;

  const tools = run.seen.offer?.tools ?? [];
  await inStep('probe', onProgress, async () => {
    if (session === undefined) return;
    const probed = await probeTools(session, tools, { mode, limits, clock });
    run.seen.probed = probed;
    run.findings.push(...probeFindings(probed, tools, { isListed: run.seen.lists?.tools !== false, why: clock.why() }));
    for (const { name, signal } of probed) if (signal !== undefined) gates.push({ toolName: name, signal });
    // Some servers let everybody look, and ask for authorization only when a tool is called.
    if (endpoint !== null && network.challenged !== challenged)
      await lookAtOAuth(run, endpoint, { settings, network, clock });
  });
  await inStep('validate', onProgress, () => {
    const { x402, findings } = checkPayments(gates);
    run.seen.x402 = x402;
    run.findings.push(...findings);
  });
}

/** What is found takes the place of what was found before. */
async function lookAtOAuth(run: Run, endpoint: URL, { settings, network, clock }: Tools): Promise<void> {
  const earlier = run.seen.oauth;
  // Metadata that does not come must leave time for the tools.
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
