import { createHttpServer, ListenError } from '@schemakit/server';
import { selectOffer } from '@schemakit/server/stdio';
import { buildCommand } from '@stricli/core';
import { closeOnSignals } from '../end-on-signals.ts';
import { type CommandResult, failed } from '../output/command-result.ts';
import { described, paths } from '../parameters.ts';
import { command, type MakeCommand } from '../run-command.ts';
import {
  type AccessFlags,
  type HostFlags,
  reachableUrl,
  readAccess,
  readHostNames,
  readTls,
  type TlsFlags,
} from '../serving/http-flags.ts';
import {
  count,
  flag,
  number,
  optional,
  type ServingFlags,
  servingFlags,
  several,
  text,
} from '../serving/serving-flags.ts';
import { chooseSource, startServing } from '../serving/start-serving.ts';

interface ServeFlags extends ServingFlags, AccessFlags, HostFlags, TlsFlags {
  host: string;
  port: number;
  maxBody?: number;
  maxSessions?: number;
  sessionIdle?: number;
}

/** `schemakit serve [<path>...]`: serves the tools of schemas, or of groups, over HTTP. */
async function serve(flags: ServeFlags, ...paths: string[]): Promise<CommandResult | undefined> {
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
  const { defaults } = chosen.source;
  const { host, port, open: isOpen, maxBody, maxSessions, sessionIdle } = flags;
  const server = createHttpServer({
    ...options,
    groups: serving.groups,
    defaults,
    ...hosts.names,
    ...(onRefusal && { onRefusal }),
    ...(access.auth !== undefined && { auth: access.auth }),
    ...(maxBody !== undefined && { maxBodyBytes: maxBody }),
    ...(maxSessions !== undefined && { maxSessions }),
    ...(sessionIdle !== undefined && { sessionIdleMs: sessionIdle }),
  });
  try {
    const listening = await server.listen({ host, port, isOpen, ...(tls.tls && { tls: tls.tls }) });
    const watching = watch();
    closeOnSignals(async () => {
      // Ten seconds in all. The server still listens in the first nine, to say that it is about to end.
      await server.close({ graceMs: 9000 });
      await Promise.all([listening.stop({ graceMs: 500 }), watching.then((stopWatching) => stopWatching())]);
    });
    const url = reachableUrl(listening.url, hosts.names);
    const tools = selectOffer(serving.offer.current, defaults, serving.groups).tools.count;
    return {
      document: { status: true, url: `${url}/mcp`, sse: `${url}/sse`, toolCount: tools },
      text: () => `Serving ${tools} tools at ${url}/mcp (older clients: ${url}/sse). Ctrl-C ends it.`,
    };
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const { code, message, hint } = error;
    return failed('usage', { error: message, fix: code === 'NOT_PROTECTED' ? howToProtect : hint });
  }
}

const howToProtect =
  'Say who may call with --token, SCHEMAKIT_TOKEN or --oauth-issuer, or listen on 127.0.0.1. If everyone may call: --open.';

export const serveCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('serve', serve, output),
    parameters: {
      positional: paths,
      flags: {
        ...servingFlags('info'),
        host: text('The address to listen on', 'address', '127.0.0.1'),
        port: {
          ...number('The port to listen on; 0 takes one that is free', 'port', { max: 65_535 }),
          default: '3000',
        },
        token: optional('Who calls must know this token; or set SCHEMAKIT_TOKEN', 'token'),
        open: flag('Let everyone call who reaches the address, under any host name', false),
        tlsCert: optional('The certificate, for https', 'file'),
        tlsKey: optional('The key of the certificate', 'file'),
        allowedHost: several('A host name that requests may be addressed to, without port', 'name'),
        allowedOrigin: several('A host name of pages whose scripts may ask, without scheme and port', 'name'),
        oauthIssuer: optional('The authorization server whose tokens let callers in', 'url'),
        oauthResource: optional('The public address of this server, for which tokens must be', 'url'),
        oauthScope: several('A scope that tokens must have', 'scope'),
        maxBody: count('How large a request may be, in bytes; by default 4 MiB', 'bytes', { min: 1024 }),
        maxSessions: count('How many sessions of older clients there may be; by default 1,000', 'count', {
          min: 1,
        }),
        sessionIdle: count('When an idle session ends, in milliseconds; by default 10 minutes', 'ms', {
          min: 1000,
          max: 2_147_483_647,
        }),
      },
    },
    docs: described(
      'Serve groups, or schemas, as an MCP server over HTTP',
      'schemakit serve ./schemas --port 3000',
      'schemakit serve --group work --token "$TOKEN" --host 0.0.0.0',
      'schemakit serve --discovery search',
    ),
  });
