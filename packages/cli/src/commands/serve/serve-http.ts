import { ListenError } from '@schemakit/server';
import { createCatalogServer, selectCatalog } from '@schemakit/server/catalog';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import {
  type AccessFlags,
  type HostFlags,
  reachableUrl,
  readAccess,
  readHostNames,
  readTls,
  type TlsFlags,
} from './http-flags.ts';
import { openPayments, type PaymentFlags } from './payment-flags.ts';
import type { ServingFlags } from './serving-flags.ts';
import { chooseSource, startServing } from './start-serving.ts';

export interface ServeFlags extends ServingFlags, AccessFlags, HostFlags, TlsFlags, PaymentFlags {
  host: string;
  port: number;
  maxBody?: number;
  maxSessions?: number;
  sessionIdle?: number;
}

export async function serve(flags: ServeFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const access = readAccess(flags);
  if (!access.ok) return access.result;
  const hosts = readHostNames(flags);
  if (!hosts.ok) return hosts.result;
  const tls = readTls(flags);
  if (!tls.ok) return tls.result;
  const chosen = await chooseSource(flags, paths, { withOthers: true });
  if (!chosen.ok) return chosen.result;
  const started = await startServing(chosen, flags);
  if (!started.ok) return started.result;
  const { serving, options, onRefusal, watch } = started;
  const payments = await openPayments(flags, serving.catalog);
  if (!payments.ok) return payments.result;
  const { defaults } = chosen.source;
  const { host, port, open: isOpen, maxBody, maxSessions, sessionIdle } = flags;
  const server = createCatalogServer(serving.catalog, options);
  const httpOptions = {
    groups: serving.groups,
    defaults,
    ...hosts.names,
    ...(onRefusal && { onRefusal }),
    ...(payments.gate && { gate: payments.gate }),
    ...(access.auth !== undefined && { auth: access.auth }),
    ...(maxBody !== undefined && { maxBodyBytes: maxBody }),
    ...(maxSessions !== undefined && { maxSessions }),
    ...(sessionIdle !== undefined && { sessionIdleMs: sessionIdle }),
  };
  try {
    const listening = await server.http({ ...httpOptions, host, port, isOpen, ...(tls.tls && { tls: tls.tls }) });
    const watching = watch();
    closeOnSignals(async () => {
      // Ten seconds in total. In the first nine, the server still answers new requests with 503.
      await listening.close({ graceMs: 9000 });
      await (await watching)();
    });
    const url = reachableUrl(listening.url, hosts.names);
    const tools = selectCatalog(serving.catalog.current, defaults, serving.groups).tools.count;
    return {
      document: { status: true, url: `${url}/mcp`, sse: `${url}/sse`, toolCount: tools },
      text: () => `Serving ${tools} tools at ${url}/mcp (older clients: ${url}/sse). Stop with Ctrl-C.`,
    };
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const { code, message, hint } = error;
    return failed('usage', { error: message, fix: code === 'NOT_PROTECTED' ? howToProtect : hint });
  }
}

const howToProtect =
  'Use --token, SCHEMAKIT_TOKEN or --oauth-issuer, or listen on 127.0.0.1. To allow unauthenticated access: --open.';
