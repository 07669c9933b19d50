import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type HttpOptions, ListenError, type ListenOptions, oauthResource } from '@schemakit/server';
import { type CommandResult, failed, type Refused, refused, type Step } from '../../output/command-result.ts';
import type { ListenFlags } from './listen-flags.ts';

/** Reads the flags of where to listen and who may connect. */
export function readListenFlags(flags: ListenFlags): Step<{ options: ListenOptions; names: HostNames }> {
  const { host, port, open: isOpen, maxBody, sessions, maxSessions, sessionIdle } = flags;
  const access = readAccess(flags);
  if (!access.ok) return access;
  const hosts = readHostNames(flags);
  if (!hosts.ok) return hosts;
  const read = readTls(flags);
  if (!read.ok) return read;
  const { auth } = access;
  const { tls } = read;
  const { names } = hosts;
  const options = {
    ...{ host, port, isOpen, sessions },
    ...names,
    ...(auth !== undefined && { auth }),
    ...(tls && { tls }),
    ...(maxBody !== undefined && { maxBodyBytes: maxBody }),
    ...(maxSessions !== undefined && { maxSessions }),
    ...(sessionIdle !== undefined && { sessionIdleMs: sessionIdle }),
  };
  return { ok: true, options, names };
}

/** The result of a server that cannot listen. Rethrows other errors. */
export function listenFailure(error: unknown): CommandResult {
  if (!(error instanceof ListenError)) throw error;
  const { code, message, hint } = error;
  return failed('usage', { error: message, fix: code === 'NOT_PROTECTED' ? howToProtect : hint });
}

const howToProtect =
  'Use --token, SCHEMAKIT_TOKEN or --oauth-issuer, or listen on 127.0.0.1. To allow unauthenticated access: --open.';

type Auth = NonNullable<HttpOptions['auth']>;

/** Reads the authentication flags; without any, `auth` is absent. Settings that could never work, or would be ignored, are errors. */
function readAccess(flags: ListenFlags): Step<{ auth?: Auth }> {
  const { oauthIssuer, oauthResource: resource, oauthScope } = flags;
  const { token = process.env.SCHEMAKIT_TOKEN } = flags;
  const usesOAuth = oauthIssuer !== undefined || resource !== undefined || oauthScope !== undefined;
  if (token === undefined) return usesOAuth ? readOAuth(flags) : { ok: true };
  const source = flags.token === undefined ? 'SCHEMAKIT_TOKEN' : '--token';
  if (usesOAuth) {
    return refused(`${source} and OAuth exclude each other.`, `Remove ${source}, or the --oauth flags.`);
  }
  if (token === '') return refused(`${source} is empty.`, 'Use a value that is hard to guess, or remove it.');
  // RFC 9110, section 5.5: other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return refused(
      `${source} has characters that are not allowed in a header.`,
      'Use printable ASCII characters without spaces, such as the output of: openssl rand -hex 32',
    );
  }
  return { ok: true, auth: token };
}

function readOAuth(flags: ListenFlags): Step<{ auth: Auth }> {
  const { oauthIssuer: issuer, oauthResource: resource, oauthScope = [] } = flags;
  if (issuer === undefined || resource === undefined) {
    const fix = 'Use both: --oauth-issuer <url> --oauth-resource <public url of this server>.';
    const error =
      issuer === undefined && resource === undefined
        ? '--oauth-scope needs --oauth-issuer and --oauth-resource.'
        : '--oauth-issuer and --oauth-resource need each other.';
    return refused(error, fix);
  }
  const [issuerUrl, resourceUrl] = [URL.parse(issuer), URL.parse(resource)];
  if (!isWeb(issuerUrl) || !isWeb(resourceUrl)) {
    const fix = 'Use full URLs, such as https://login.example.com and https://tools.example.com/mcp.';
    return refused('--oauth-issuer and --oauth-resource must be URLs.', fix);
  }
  if (issuer.includes('#') || resource.includes('#')) {
    return refused('--oauth-issuer and --oauth-resource must not have a fragment (#).', 'Remove it.');
  }
  if (issuerUrl.protocol === 'http:' && !isLoopback(issuerUrl)) {
    const fix = `Use https://${issuerUrl.host}, or an issuer on this machine.`;
    return refused('--oauth-issuer must use https: its signing keys could be replaced in transit.', fix);
  }
  return { ok: true, auth: oauthResource({ issuer, resource, requiredScopes: oauthScope }) };
}

function isWeb(url: URL | null): url is URL {
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

export interface HostNames {
  allowedHosts?: readonly string[] | 'any';
  allowedOrigins?: readonly string[];
}

/** Reads host names. A name that no request can match, such as one with a port, is an error. */
function readHostNames({ allowedHost, allowedOrigin, open }: ListenFlags): Step<{ names: HostNames }> {
  for (const name of allowedHost ?? []) {
    if (!isHostName(name)) return badHost('--allowed-host', name);
  }
  for (const name of allowedOrigin ?? []) {
    // The origin of a browser extension has another host on every machine.
    if (!isHostName(name) && !/^(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*$/.test(name))
      return badHost('--allowed-origin', name);
  }
  const names = {
    ...(allowedHost ? { allowedHosts: allowedHost.map(lowerCase) } : open && { allowedHosts: 'any' as const }),
    ...(allowedOrigin && { allowedOrigins: allowedOrigin.map(lowerCase) }),
  };
  return { ok: true, names };
}

function isHostName(name: string): boolean {
  return !name.includes('*') && URL.parse(`http://${name}`)?.hostname === name.toLowerCase();
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}

function badHost(flag: string, name: string): Refused {
  const meant = [name, `http://${name}`].map((text) => URL.parse(text)?.hostname ?? '');
  const example = meant.find((host) => host !== '' && isHostName(host)) ?? 'tools.example.com';
  return refused(`${flag}: ${name} is not a host name.`, `Write it without scheme, port and path: ${flag} ${example}`);
}

function readTls({ tlsCert, tlsKey }: ListenFlags): Step<{ tls?: { cert: Buffer; key: Buffer } }> {
  if (tlsCert === undefined && tlsKey === undefined) return { ok: true };
  if (tlsCert === undefined || tlsKey === undefined) {
    return refused('--tls-cert and --tls-key need each other.', 'Use both, with PEM files.');
  }
  let cert: Buffer;
  let key: Buffer;
  try {
    cert = readFileSync(tlsCert);
    key = readFileSync(tlsKey);
  } catch (error) {
    const { message } = error as Error;
    const fix = 'Check the paths of the certificate and its key.';
    return { ok: false, result: failed('notFound', { error: message, fix }) };
  }
  const certificate = parsed(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return refused(
      `${tlsCert} is not a PEM certificate.`,
      'A PEM certificate begins with -----BEGIN CERTIFICATE-----.',
    );
  }
  const privateKey = parsed(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return refused(
      `${tlsKey} is not a PEM private key, or needs a passphrase.`,
      'A PEM key begins with -----BEGIN PRIVATE KEY-----. Remove a passphrase with: openssl pkey -in <file> -out <new file>',
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    const fix =
      'Use the key that belongs to the certificate. In a file with a chain, the server certificate comes first.';
    return refused(`${tlsKey} does not match ${tlsCert}.`, fix);
  }
  return { ok: true, tls: { cert, key } };
}

function parsed<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** A URL under which clients can reach the server: with an accepted host name, and not that of all interfaces. */
export function reachableUrl(url: string, { allowedHosts }: HostNames): string {
  const address = new URL(url);
  const [first] = Array.isArray(allowedHosts) && !allowedHosts.includes(address.hostname) ? allowedHosts : [];
  if (first !== undefined) address.hostname = first;
  else if (address.hostname === '0.0.0.0' || address.hostname === '[::]') address.hostname = ownAddress();
  return address.origin;
}

function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
