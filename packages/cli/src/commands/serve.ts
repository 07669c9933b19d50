import { buildCommand } from '@stricli/core';
import { command, type MakeCommand } from '../run-command.ts';
import { described, notEmpty, numberFlag, optionalNumber, paths, textFlag, textsFlag, yesNo } from './parameters.ts';
import { servingFlags } from './serve/serving-flags.ts';

export const serveCommand: MakeCommand = (output) =>
  buildCommand({
    loader: async () => command('serve', (await import('./serve/serve-http.ts')).serve, output),
    parameters: {
      positional: paths,
      flags: {
        ...servingFlags('info'),
        host: {
          kind: 'parsed',
          parse: notEmpty,
          brief: 'Address to listen on',
          placeholder: 'address',
          default: '127.0.0.1',
        },
        port: numberFlag('Port to listen on; 0 for any free port', 'port', { max: 65_535, value: 3000 }),
        token: textFlag('Bearer token that clients must send (or set SCHEMAKIT_TOKEN)', 'token'),
        open: yesNo('Allow unauthenticated access, with any Host header'),
        tlsCert: textFlag('TLS certificate (PEM), for HTTPS', 'file'),
        tlsKey: textFlag('Private key of the certificate (PEM)', 'file'),
        allowedHost: textsFlag('Accepted Host header, without port', 'name'),
        allowedOrigin: textsFlag('Accepted Origin header (CORS), without scheme and port', 'name'),
        oauthIssuer: textFlag('OAuth authorization server that issues access tokens', 'url'),
        oauthResource: textFlag('Public URL of this server, the audience of access tokens', 'url'),
        oauthScope: textsFlag('Scope that access tokens must have', 'scope'),
        price: textsFlag('Price of a tool, paid by x402 before its answer is given', 'tool=price'),
        payTo: textFlag('With --price: address that is paid', 'address'),
        network: textFlag('With --price: network of the payment, such as eip155:8453 (Base)', 'caip2'),
        facilitator: textFlag('With --price: URL of the service that checks and settles payments', 'url'),
        maxBody: optionalNumber('Maximum size of a request body, in bytes (default: 4 MiB)', 'bytes', { min: 1024 }),
        maxSessions: optionalNumber('Maximum number of sessions, for older clients (default: 1,000)', 'count', {
          min: 1,
        }),
        sessionIdle: optionalNumber('Idle timeout of a session, in milliseconds (default: 10 minutes)', 'ms', {
          min: 1000,
          max: 2_147_483_647,
        }),
      },
    },
    docs: described('Serve tools as an MCP server over HTTP', 'schemakit serve catalog/frankfurter --port 3000'),
  });
