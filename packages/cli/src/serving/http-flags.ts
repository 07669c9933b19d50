import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { type HttpOptions, oauthResource } from '@schemakit/server';
import { type CommandResult, failed, misused } from '../output/command-result.ts';

/** Flags that say who may call. */
export interface AccessFlags {
  token?: string;
  oauthIssuer?: string;
  oauthResource?: string;
  oauthScope?: readonly string[];
}

type Auth = NonNullable<HttpOptions['auth']>;

/** Who may call; absent where everyone may. What could never let anybody in, or would be ignored, is refused: it was meant to protect. */
export function readAccess(flags: AccessFlags): { ok: true; auth?: Auth } | { ok: false; result: CommandResult } {
  const { oauthIssuer, oauthResource: resource, oauthScope } = flags;
  const { token = process.env.SCHEMAKIT_TOKEN } = flags;
  const usesOAuth = oauthIssuer !== undefined || resource !== undefined || oauthScope !== undefined;
  if (token === undefined) return usesOAuth ? readOAuth(flags) : { ok: true };
  const source = flags.token === undefined ? 'SCHEMAKIT_TOKEN' : '--token';
  if (usesOAuth) {
    return refused(
      `${source} and OAuth exclude each other.`,
      `Leave out ${source}, or the flags that begin with --oauth.`,
    );
  }
  if (token === '') return refused(`${source} is empty.`, 'Give it a value that others do not guess, or leave it out.');
  // RFC 9110 5.5: a header carries no others as they are.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return refused(
      `${source} has characters that callers cannot send.`,
      'A token is letters without accents, digits and signs, without spaces; for example that of: openssl rand -hex 32',
    );
  }
  return { ok: true, auth: token };
}

function readOAuth({
  oauthIssuer: issuer,
  oauthResource: resource,
  oauthScope = [],
}: AccessFlags): ReturnType<typeof readAccess> {
  if (issuer === undefined || resource === undefined) {
    const fix = 'Give both: --oauth-issuer <url> --oauth-resource <public url of this server>.';
    const error =
      issuer === undefined && resource === undefined
        ? '--oauth-scope needs --oauth-issuer and --oauth-resource.'
        : '--oauth-issuer and --oauth-resource belong together.';
    return refused(error, fix);
  }
  const [issuerUrl, resourceUrl] = [URL.parse(issuer), URL.parse(resource)];
  if (!isWeb(issuerUrl) || !isWeb(resourceUrl)) {
    const fix = 'Write them in full, such as https://login.example.com and https://tools.example.com/mcp.';
    return refused('--oauth-issuer and --oauth-resource have to be addresses.', fix);
  }
  if (issuer.includes('#') || resource.includes('#')) {
    return refused('--oauth-issuer and --oauth-resource have no part after #.', 'Leave it out.');
  }
  if (issuerUrl.protocol === 'http:' && !isLoopback(issuerUrl)) {
    const fix = `Write https://${issuerUrl.host}, or an issuer on this machine.`;
    return refused('The keys of --oauth-issuer would come over http, where others can change them.', fix);
  }
  return { ok: true, auth: oauthResource({ issuer, resource, requiredScopes: oauthScope }) };
}

function isWeb(url: URL | null): url is URL {
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

function refused(error: string, fix: string): { ok: false; result: CommandResult } {
  return { ok: false, result: misused(error, fix) };
}

export interface HostFlags {
  allowedHost?: readonly string[];
  allowedOrigin?: readonly string[];
  open: boolean;
}

/** What requests may be addressed to, and whose pages may ask, as the server takes them. */
export interface HostNames {
  allowedHosts?: readonly string[] | 'any';
  allowedOrigins?: readonly string[];
}

type ReadHostNames = { ok: true; names: HostNames } | { ok: false; result: CommandResult };

/** Reads names of hosts. One that no request could ever match, such as one with a port, is refused. */
export function readHostNames({ allowedHost, allowedOrigin, open }: HostFlags): ReadHostNames {
  for (const name of allowedHost ?? []) {
    if (!isHostName(name)) return badHost('--allowed-host', name);
  }
  for (const name of allowedOrigin ?? []) {
    // Those of a browser's extensions differ on every machine.
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

function badHost(flag: string, name: string): ReadHostNames {
  const meant = [name, `http://${name}`].map((text) => URL.parse(text)?.hostname ?? '');
  const example = meant.find((host) => host !== '' && isHostName(host)) ?? 'tools.example.com';
  return refused(`${flag} ${name} is no name of a host.`, `Without scheme, port and path: ${flag} ${example}`);
}

export interface TlsFlags {
  tlsCert?: string;
  tlsKey?: string;
}

type ReadTls = { ok: true; tls?: { cert: Buffer; key: Buffer } } | { ok: false; result: CommandResult };

/** The certificate for https and its key; absent where none was named. What does not work together is refused with what to do. */
export function readTls({ tlsCert, tlsKey }: TlsFlags): ReadTls {
  if (tlsCert === undefined && tlsKey === undefined) return { ok: true };
  if (tlsCert === undefined || tlsKey === undefined) {
    return refused('--tls-cert and --tls-key belong together.', 'Give the files of both, in PEM.');
  }
  let cert: Buffer;
  let key: Buffer;
  try {
    cert = readFileSync(tlsCert);
    key = readFileSync(tlsKey);
  } catch (error) {
    const { message } = error as Error;
    const fix = 'Name the files of the certificate and its key.';
    return { ok: false, result: failed('notFound', { error: message, fix }) };
  }
  const certificate = parsed(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return refused(`${tlsCert} is no certificate in PEM.`, 'It begins with -----BEGIN CERTIFICATE-----.');
  }
  const privateKey = parsed(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return refused(
      `${tlsKey} is no private key in PEM that can be read without a passphrase.`,
      'It begins with -----BEGIN PRIVATE KEY-----. Take a passphrase away with: openssl pkey -in <file> -out <file without>',
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    const fix =
      'Name the key with which the certificate was asked for. In a file with several, the own certificate comes first.';
    return refused(`${tlsKey} is not the key of ${tlsCert}.`, fix);
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

/**
 * An address under which a server that listens can be called: one that it does not refuse, and not that of every interface.
 *
 * @param url Where it listens.
 */
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
