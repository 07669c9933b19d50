import { createCatalogServer, selectCatalog } from '@schemakit/server/catalog';
import type { CommandResult } from '../../output/command-result.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { listenFailure, reachableUrl, readListenFlags } from './http-flags.ts';
import type { ListenFlags } from './listen-flags.ts';
import { openPayments, type PaymentFlags } from './payment-flags.ts';
import type { ServingFlags } from './serving-flags.ts';
import { chooseSource, startServing } from './start-serving.ts';

interface ServeFlags extends ServingFlags, ListenFlags, PaymentFlags {}

export async function serve(flags: ServeFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const listen = readListenFlags(flags);
  if (!listen.ok) return listen.result;
  const chosen = await chooseSource(flags, paths, { withOthers: true });
  if (!chosen.ok) return chosen.result;
  const started = await startServing(chosen, flags);
  if (!started.ok) return started.result;
  const { serving, options, onRefusal, watch } = started;
  const payments = await openPayments(flags, serving.catalog, chosen.serverParams);
  if (!payments.ok) return payments.result;
  const { defaults } = chosen.source;
  const server = createCatalogServer(serving.catalog, options);
  const httpOptions = {
    groups: serving.groups,
    defaults,
    ...(onRefusal && { onRefusal }),
    ...(payments.gate && { gate: payments.gate }),
  };
  try {
    const listening = await server.http({ ...httpOptions, ...listen.options });
    const watching = watch();
    closeOnSignals(async () => {
      // Ten seconds in total. In the first nine, the server still answers new requests with 503.
      await listening.close({ graceMs: 9000 });
      await (await watching)();
    });
    const url = reachableUrl(listening.url, listen.names);
    const tools = selectCatalog(serving.catalog.current, defaults, serving.groups).tools.count;
    return {
      document: { status: true, url: `${url}/mcp`, sse: `${url}/sse`, toolCount: tools },
      text: () => `Serving ${tools} tools at ${url}/mcp (older clients: ${url}/sse). Stop with Ctrl-C.`,
    };
  } catch (error) {
    return listenFailure(error);
  }
}
