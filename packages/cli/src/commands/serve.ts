import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { described, paths } from './parameters.ts';
import { count, flag, number, optional, servingFlags, several, text } from './serve/serving-flags.ts';

/** `schemakit serve [<path>...]`. Its server is loaded when it runs, so that help and other commands start without it. */
export const serveCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('serve', (await import('./serve/serve-http.ts')).serve, output),
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
