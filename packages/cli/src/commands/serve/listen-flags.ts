import type { CommandContext, FlagParametersForType } from '@stricli/core';
import { negatable, notEmpty, numberFlag, optionalNumber, textFlag, textsFlag, yesNo } from '../parameters.ts';

/** Where a server listens, and who may connect. */
export interface ListenFlags {
  host: string;
  port: number;
  token?: string;
  open: boolean;
  tlsCert?: string;
  tlsKey?: string;
  allowedHost?: readonly string[];
  allowedOrigin?: readonly string[];
  oauthIssuer?: string;
  oauthResource?: string;
  oauthScope?: readonly string[];
  maxBody?: number;
  sessions: boolean;
  maxSessions?: number;
  sessionIdle?: number;
}

export const listenFlags: FlagParametersForType<ListenFlags, CommandContext> = {
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
  maxBody: optionalNumber('Maximum size of a request body, in bytes (default: 4 MiB)', 'bytes', { min: 1024 }),
  sessions: negatable('Serve older clients without sessions, for several servers behind one address'),
  maxSessions: optionalNumber('Maximum number of sessions, for older clients (default: 1,000)', 'count', { min: 1 }),
  sessionIdle: optionalNumber('Idle timeout of a session, in milliseconds (default: 10 minutes)', 'ms', {
    min: 1000,
    max: 2_147_483_647,
  }),
};
