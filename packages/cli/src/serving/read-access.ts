import { type HttpServerOptions, oauthResource } from '@schemakit/server';
import { type CommandResult, misused } from '../output/command-result.ts';

/** Flags that say who may call. */
export interface AccessFlags {
  token?: string;
  oauthIssuer?: string;
  oauthResource?: string;
  oauthScope?: readonly string[];
}

type Auth = NonNullable<HttpServerOptions['auth']>;

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
