import { readFileSync } from 'node:fs';
import { createHttpServer, type HttpServerOptions, ListenError, oauthResource } from '@schemakit/server';
import { closeOnSignals } from '../end-on-signals.ts';
import { type CommandResult, failed, misused } from '../output/command-result.ts';
import { chooseSource } from '../serving/choose-source.ts';
import type { ServingFlags } from '../serving/serving-flags.ts';
import { startServing } from '../serving/start-serving.ts';

export interface ServeFlags extends ServingFlags {
  host: string;
  port: number;
  token?: string;
  tlsCert?: string;
  tlsKey?: string;
  allowedHost?: readonly string[];
  allowedOrigin?: readonly string[];
  open: boolean;
  oauthIssuer?: string;
  oauthResource?: string;
  oauthScope?: readonly string[];
}

/** `schemakit serve [<path>...]`: serves the tools of schemas, or of groups, over HTTP. */
export async function serve(flags: ServeFlags, ...paths: string[]): Promise<CommandResult | undefined> {
  const auth = readAuth(flags);
  if (!auth.ok) return auth.result;
  const tls = readTls(flags);
  if (!tls.ok) return tls.result;
  const chosen = await chooseSource(flags, paths, { withOthers: true });
  if (!chosen.ok) return chosen.result;
  const started = await startServing(chosen, flags);
  if (!started.ok) return started.result;
  const { serving, options, watch } = started;
  const server = createHttpServer({
    ...options,
    groups: serving.groups,
    defaults: chosen.source.defaults,
    ...(auth.auth !== undefined && { auth: auth.auth }),
    ...(flags.allowedHost && { allowedHosts: flags.allowedHost }),
    ...(flags.allowedOrigin && { allowedOrigins: flags.allowedOrigin }),
  });
  try {
    const { host, port, open: isOpen } = flags;
    const { url, stop } = await server.listen({ host, port, isOpen, ...(tls.tls && { tls: tls.tls }) });
    const watching = watch();
    closeOnSignals(async () => {
      const stopped = stop();
      await server.close();
      await Promise.all([stopped, watching.then((stopWatching) => stopWatching())]);
    });
    const tools = serving.offer.current.tools.all.length;
    return {
      document: { status: true, url: `${url}/mcp`, sse: `${url}/sse`, toolCount: tools },
      text: () => `Serving ${tools} tools at ${url}/mcp (older clients: ${url}/sse). Ctrl-C ends it.`,
    };
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    return failed('usage', { error: error.message, fix: error.hint });
  }
}

type Auth = NonNullable<HttpServerOptions['auth']>;

function readAuth({
  token = process.env.SCHEMAKIT_TOKEN,
  oauthIssuer: issuer,
  oauthResource: resource,
  oauthScope = [],
}: ServeFlags): { ok: true; auth?: Auth } | { ok: false; result: CommandResult } {
  if (issuer === undefined && resource === undefined) return token ? { ok: true, auth: token } : { ok: true };
  if (issuer === undefined || resource === undefined) {
    const fix = 'Give both: --oauth-issuer <url> --oauth-resource <public url of this server>.';
    return { ok: false, result: misused('--oauth-issuer and --oauth-resource belong together.', fix) };
  }
  try {
    return { ok: true, auth: oauthResource({ issuer, resource, requiredScopes: oauthScope }) };
  } catch {
    const fix = 'Write them in full, such as https://login.example.com and https://tools.example.com/mcp.';
    return { ok: false, result: misused('--oauth-issuer and --oauth-resource have to be addresses.', fix) };
  }
}

function readTls({
  tlsCert,
  tlsKey,
}: ServeFlags): { ok: true; tls?: { cert: Buffer; key: Buffer } } | { ok: false; result: CommandResult } {
  if (tlsCert === undefined && tlsKey === undefined) return { ok: true };
  if (tlsCert === undefined || tlsKey === undefined) {
    return {
      ok: false,
      result: misused('--tls-cert and --tls-key belong together.', 'Give the files of both, in PEM.'),
    };
  }
  try {
    return { ok: true, tls: { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) } };
  } catch (error) {
    const { message } = error as Error;
    return {
      ok: false,
      result: failed('notFound', { error: message, fix: 'Name the files of the certificate and its key.' }),
    };
  }
}
