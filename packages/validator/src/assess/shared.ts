import type { Reach } from '../connect/connect.ts';
import type { AssessSettings } from '../input/assess-options.ts';
import { getCard } from '../layers/a2a/get-card.ts';
import type { Clock } from '../network/clock.ts';
import type { Connection } from '../network/connection.ts';
import type { Network } from '../network/network.ts';
import { callTools, createRun, listOffers, openConnection } from '../run-steps.ts';
import type { Shared } from './layer.ts';
import { getPage, type Page } from './page.ts';

export interface OpenShared extends Shared {
  /** Whether the URL has any HTTP answer. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Makes what several layers need, when it is first asked for. */
export function openShared({
  settings,
  network,
  clock,
}: {
  settings: AssessSettings;
  network: Network;
  clock: Clock;
}): OpenShared {
  const run = createRun({ settings, network, clock });
  const page = once(() => getPage(settings.endpoint, { headers: settings.headers, network, clock }));
  const connections = once(() => probeOrigins(settings.endpoint, { network, clock, page: page() }));
  const mcp = once(async () => {
    const found = Promise.withResolvers<undefined>();
    const reaching = Promise.race([page().then(reachOf), found.promise]);
    await openConnection(run, { reaching, onSession: () => found.resolve(undefined) });
    await listOffers(run);
    return run;
  });
  const probed = once(async () => {
    await callTools(await mcp());
    return run;
  });
  return {
    page,
    connections,
    mcp,
    probed,
    card: once(() => getCard(settings.endpoint, { headers: settings.headers, network, clock })),
    isReachable: async () => run.isReachable || (await page()).hops.length > 0,
    async close() {
      await run.seen.session?.close();
    },
  };
}

/** A redirect of an honest site leads through few origins. */
const MAX_ORIGINS = 4;

/** A handshake that hangs must leave time to tell the rest. */
const PROBE_MS = 5000;

/** Opens a connection to the origin of the URL, and to each that it redirects to. Never rejects. */
async function probeOrigins(
  endpoint: URL,
  { network, clock, page }: { network: Network; clock: Clock; page: Promise<Page> },
): Promise<Connection[]> {
  const probe = (url: URL): Promise<Connection> => network.probe(url, Math.min(PROBE_MS, clock.remaining() / 2));
  const first = probe(endpoint);
  const { hops, error } = await page;
  const others = [...hops.map(({ url }) => url), error?.url ?? '']
    .flatMap((url) => URL.parse(url) ?? [])
    .filter(({ origin }, index, all) => origin !== endpoint.origin && isFirst(origin, index, all));
  return await Promise.all([first, ...others.slice(0, MAX_ORIGINS - 1).map(probe)]);
}

function isFirst(origin: string, index: number, all: readonly URL[]): boolean {
  return all.findIndex((url) => url.origin === origin) === index;
}

/** Tells what a HEAD of the URL would tell. */
function reachOf({ hops: [first], error }: Page): Reach | undefined {
  if (first !== undefined) return { isReachable: true, headers: first.headers, status: first.status };
  return error && { isReachable: false, error };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
