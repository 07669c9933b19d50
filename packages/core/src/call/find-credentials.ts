import { hash } from 'node:crypto';
import { HttpError, type NetworkPolicy } from '@schemakit/http';
import type { Finding } from '../schema/finding.ts';
import { isObject } from '../schema/json.ts';
import type { Credentials } from '../schema/schema.ts';
import { type Template, templateText } from '../schema/template.ts';
import type { CallContext } from './call-context.ts';
import { callFinding, requestFinding } from './call-findings.ts';
import { encodeQueryText } from './request/query-text.ts';
import type { SecretValues } from './request/template-value.ts';
import { createVaults } from './secret-vault.ts';
import { sendRequest } from './send-request.ts';

type OAuth2 = Extract<Credentials, { type: 'oauth2' }>;

export interface CredentialsContext {
  serverParams: SecretValues;
  /** Where the token request may go. */
  policy: NetworkPolicy;
  context: Pick<CallContext, 'signal' | 'timeoutMs' | 'upstream'>;
}

export type FoundCredentials = { ok: true; values: SecretValues } | { ok: false; findings: Finding[] };

/** The values of computed credentials, by the name that stands for them in templates. */
export async function findCredentials(
  credentials: Credentials | undefined,
  { serverParams, policy, context }: CredentialsContext,
): Promise<FoundCredentials> {
  if (credentials === undefined) return { ok: true, values: {} };
  const { name } = credentials;
  if (credentials.type === 'basic') {
    // RFC 7617, 2: UTF-8 is what servers expect where they say nothing else.
    const pair = `${textOf(credentials.username, serverParams)}:${textOf(credentials.password, serverParams)}`;
    return { ok: true, values: { [name]: Buffer.from(pair).toString('base64') } };
  }
  try {
    const token = await unlessAborted(accessToken(credentials, { serverParams, policy, context }), context.signal);
    return 'code' in token ? { ok: false, findings: [token] } : { ok: true, values: { [name]: token.text } };
  } catch (error) {
    return { ok: false, findings: [requestFinding(error)] };
  }
}

/** Forgets an access token that the API rejected. Returns false if it was fetched for the call that it failed, so that another one would not help. */
export function forgetToken(credentials: Credentials, serverParams: SecretValues, since: number): boolean {
  if (credentials.type !== 'oauth2') return false;
  const key = keyOf(credentials, serverParams);
  const stored = tokens.get(key);
  if (stored === undefined || stored.begunAt >= since) return false;
  tokens.delete(key);
  return true;
}

/** A token, or why there is none. */
type Token = { text: string; lifetimeMs: number } | Finding;

interface StoredToken {
  token: Promise<Token>;
  /** When it was asked for, on the clock of `performance.now()`. */
  begunAt: number;
  /** When the next one is fetched; absent while this one is awaited. */
  renewAt?: number;
}

/** In memory only, and shared by all schemas with the same client. */
const tokens = new Map<string, StoredToken>();
const maxTokens = 1000;

/** A server that names no lifetime tells of the end with a 401 (RFC 6749, 4.4.3 and 5.1). */
const defaultLifetimeMs = 3_600_000;
const renewBeforeMs = 30_000;

/** The access token of a client: fetched once for many calls, and again before it ends. */
async function accessToken(oauth2: OAuth2, options: CredentialsContext): Promise<Token> {
  const key = keyOf(oauth2, options.serverParams);
  const now = performance.now();
  const known = tokens.get(key);
  if (known !== undefined && (known.renewAt === undefined || now < known.renewAt)) return known.token;
  const stored: StoredToken = { token: fetchToken(oauth2, options), begunAt: now };
  tokens.set(key, stored);
  const [oldest] = tokens.keys();
  if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest);
  let isUsable = false;
  try {
    const token = await stored.token;
    isUsable = !('code' in token);
    // Of a short life, the half is left for the calls.
    if (!('code' in token)) stored.renewAt = now + token.lifetimeMs - Math.min(renewBeforeMs, token.lifetimeMs / 2);
    return token;
  } finally {
    if (!isUsable && tokens.get(key) === stored) tokens.delete(key);
  }
}

/** A hash, so that no secret is kept longer than its call. */
function keyOf(oauth2: OAuth2, serverParams: SecretValues): string {
  const { url, clientId, clientSecret, form, authMethod } = oauth2;
  const texts = [url, clientId, clientSecret].map((template) => textOf(template, serverParams));
  return hash('sha256', JSON.stringify([...texts, form, authMethod]));
}

async function fetchToken(
  { url: address, tokenUrl, clientId, clientSecret, form, authMethod }: OAuth2,
  { serverParams, policy, context: { timeoutMs, upstream } }: CredentialsContext,
): Promise<Token> {
  const [id, secret] = [clientId, clientSecret].map((template) => textOf(template, serverParams)) as [string, string];
  const isBasic = authMethod === 'basic';
  // RFC 6749, 2.3.1: both are encoded as in a form, in the header too.
  const pair = Buffer.from(`${encodeQueryText(id)}:${encodeQueryText(secret)}`).toString('base64');
  const fields = {
    grant_type: 'client_credentials',
    ...form,
    ...(!isBasic && { client_id: id, client_secret: secret }),
  };
  const request = {
    url: textOf(address, serverParams, encodeURIComponent),
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(isBasic && { Authorization: `Basic ${pair}` }),
    },
    body: new URLSearchParams(fields).toString(),
  };
  const vault = createVaults(serverParams)({ hasHandlers: false });
  // The request is shared, so the end of one call does not end it.
  const scope = { vault, context: { timeoutMs, upstream }, use: { attempts: 0, waitedMs: 0 } };
  const { status, body } = await sendRequest(request, scope, { policy, redirect: 'manual', purpose: 'token' });
  const answer = parsed(Buffer.from(body).toString('utf8'));
  if (status !== 200) {
    const { error, error_description: about } = answer;
    const reason = [error, about].filter((text) => typeof text === 'string').join(': ');
    // Masked before it is cut: a cut in a secret would leave its beginning.
    const said = reason === '' ? '' : `: ${vault.scrub(reason).replace(/\s+/g, ' ').slice(0, 300)}`;
    const message = `The token endpoint ${tokenUrl} gave no access token (HTTP ${status}${said}).`;
    const hint = 'Check the server parameters of main.auth, its scopes and its authMethod.';
    return callFinding('TOKEN_REFUSED', message, { path: 'main.auth', hint });
  }
  const { access_token: text, token_type: type = 'bearer', expires_in: seconds } = answer;
  // RFC 6750, 2.1: the characters that a bearer token may have.
  if (typeof text !== 'string' || !/^[\w.~+/-]+=*$/.test(text) || String(type).toLowerCase() !== 'bearer') {
    const message = `The answer of the token endpoint ${tokenUrl} has no bearer token.`;
    const hint = 'Check main.auth.tokenUrl. Only bearer tokens in JSON can be used (RFC 6749, 5.1).';
    return callFinding('TOKEN_INVALID', message, { path: 'main.auth', hint });
  }
  const lifetimeMs = Number(seconds ?? Number.NaN) * 1000;
  return { text, lifetimeMs: Number.isNaN(lifetimeMs) ? defaultLifetimeMs : lifetimeMs };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {}; // A page of a proxy, for example.
  }
}

function textOf(template: Template, secrets: SecretValues, encode = (value: string): string => value): string {
  return templateText(template, (name) => encode(secrets[name] ?? ''));
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new HttpError('ABORTED', undefined));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
