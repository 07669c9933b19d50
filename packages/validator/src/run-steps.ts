import { type Attempt, connect, type Reach } from './connect/connect.ts';
import { explainFailure } from './connect/explain-failure.ts';
import type { Finding } from './findings/finding.ts';
import type { StartSettings } from './input/start-options.ts';
import { discover } from './list/discover.ts';
import type { Clock } from './network/clock.ts';
import type { Network } from './network/network.ts';
import { discoverOAuth } from './oauth/discover-oauth.ts';
import { checkPayments, type Gate } from './payment/check-payment.ts';
import { signalInHttp } from './probe/payment-signal.ts';
import { probeFindings, wayFinding } from './probe/probe-findings.ts';
import { probeTools } from './probe/probe-tools.ts';
import type { Seen } from './snapshot/entries.ts';

/** The state of a run. Each step adds to it, so that results survive a later failure. */
export interface Run {
  settings: StartSettings;
  network: Network;
  /** The deadline of the run. */
  clock: Clock;
  seen: Seen;
  findings: Finding[];
  isReachable: boolean;
  /** Connections that were tried; the last one succeeded if there is a session. */
  attempts: readonly Attempt[];
  /** What requires payment. */
  gates: Gate[];
}

export function createRun(context: Pick<Run, 'settings' | 'network' | 'clock'>): Run {
  return {
    ...context,
    seen: { settings: context.settings },
    findings: [],
    isReachable: false,
    attempts: [],
    gates: [],
  };
}

/** Stands for the tool name if the endpoint itself requires payment. */
const ENDPOINT = '(endpoint)';

/** Names of headers with credentials. */
const CREDENTIAL = /auth|cookie|key|token|secret/i;

/** Opens a session, and says why if there is none. `reaching` is another request to the endpoint, which tells whether it answers at all; `onSession` may end it. */
export async function openConnection(
  run: Run,
  { reaching, onSession = () => {} }: { reaching: Promise<Reach | undefined>; onSession?: () => void },
): Promise<void> {
  const { settings, network, clock } = run;
  const isEventStream = async (): Promise<boolean> => answersWithEvents(await reaching);
  const { session, attempts } = await connect(settings, { network, clock, isEventStream });
  run.seen.session = session;
  run.attempts = attempts;
  // Some servers never answer HEAD; a session proves that the server is reachable.
  if (session !== undefined) onSession();
  const reached = await reaching;
  const traces = attempts.flatMap(({ exchange }) => exchange.http);
  run.isReachable = reached?.isReachable === true || traces.length > 0 || session !== undefined;
  if (session !== undefined) return;
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
  if (signal !== undefined) run.gates.push({ toolName: ENDPOINT, signal });
}

function answersWithEvents(reached: Reach | undefined): boolean {
  return reached?.isReachable === true && (reached.headers['content-type'] ?? '').startsWith('text/event-stream');
}

/** Lists tools, resources and prompts. */
export async function listOffers(run: Run): Promise<void> {
  const { session } = run.seen;
  if (session === undefined) return;
  const { listed, findings, complete, signal } = await discover(session, run.clock);
  run.seen.listed = listed;
  run.seen.lists = complete;
  run.findings.push(...findings);
  if (signal === undefined) return;
  run.gates.push({ toolName: ENDPOINT, signal });
  run.findings.push(wayFinding(signal, 'The list of tools'));
}

/** Finds out how the server is authorized. Replaces the results of an earlier discovery. */
export async function findAuthorization(run: Run): Promise<void> {
  const { settings, network, clock, seen } = run;
  if (settings.endpoint === null || !run.isReachable) return;
  const earlier = seen.oauth;
  // Slow metadata must leave time for the tools.
  const part = clock.part(1 / 2);
  const hasCredentials = Object.keys(settings.headers).some((name) => CREDENTIAL.test(name));
  const answersWithout = seen.session !== undefined && !hasCredentials;
  const oauth = await clock.within(discoverOAuth(settings.endpoint, { network, clock: part, answersWithout }));
  part.release();
  seen.oauth = oauth ?? (earlier && { ...earlier, isComplete: false });
  if (oauth === undefined) return;
  run.findings = [...run.findings.filter((found) => !earlier?.findings.includes(found)), ...oauth.findings];
}

/** Calls tools to see which of them require payment. */
export async function callTools(run: Run): Promise<void> {
  const { settings, clock, seen, gates } = run;
  if (seen.session === undefined) return;
  const { probe: mode, probeLimits: limits } = settings;
  const tools = seen.listed?.tools ?? [];
  const probed = await probeTools(seen.session, tools, { mode, limits, clock });
  seen.probed = probed;
  run.findings.push(...probeFindings(probed, tools, { isListed: seen.lists?.tools !== false, why: clock.why() }));
  for (const { name, signal } of probed) if (signal !== undefined) gates.push({ toolName: name, signal });
}

/** Checks what the tools and the endpoint want to be paid. */
export function checkTerms(run: Run): void {
  const { x402, findings } = checkPayments(run.gates);
  run.seen.x402 = x402;
  run.findings.push(...findings);
}
