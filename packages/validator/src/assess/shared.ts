import type { Reach } from '../connect/connect.ts';
import type { AssessSettings } from '../input/assess-options.ts';
import { getCard } from '../layers/a2a/get-card.ts';
import type { Clock } from '../network/clock.ts';
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
    mcp,
    probed,
    card: once(() => getCard(settings.endpoint, { headers: settings.headers, network, clock })),
    isReachable: async () => run.isReachable || (await page()).hops.length > 0,
    async close() {
      await run.seen.session?.close();
    },
  };
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
