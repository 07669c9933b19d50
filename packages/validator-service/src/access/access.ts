import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemError } from '../problems/problem.ts';
import type { Settings } from '../settings.ts';

/** Who may use the closed paths. */
export interface Access {
  /** Throws a problem unless the request may use closed paths. */
  check(request: FastifyRequest): void;
  /** Whether the request has the token, in a header. */
  hasToken(request: FastifyRequest): boolean;
  /** Whether the request comes from our own MCP server. */
  isOwn(request: FastifyRequest): boolean;
  /** Gives a browser that visits the page a session cookie, if the service has a token. */
  grantSession(request: FastifyRequest, reply: FastifyReply): void;
  /** Where people reach the service. */
  originOf(request: FastifyRequest): string;
  /** The token of our own MCP server. */
  ownToken: string;
}

const sessionSeconds = 12 * 60 * 60;

export function createAccess(settings: Settings): Access {
  const { apiToken, publicUrl } = settings;
  // A proxy that nobody told the service about may end TLS.
  const isSchemeKnown = publicUrl !== undefined || settings.trustProxy.length > 0 || isForMachine(settings);
  const ownToken = randomBytes(32).toString('base64url');
  const originOf = ({ protocol, host }: FastifyRequest) => publicUrl ?? `${protocol}://${host}`;
  const isSecure = (request: FastifyRequest) => originOf(request).startsWith('https:');
  // The prefix makes browsers refuse a cookie that a neighbouring subdomain sets.
  const cookieName = (request: FastifyRequest) => (isSecure(request) ? '__Host-schemakit' : 'schemakit');
  const isOwn = (request: FastifyRequest) => isEqual(bearerOf(request), ownToken);
  const hasToken = (request: FastifyRequest) => apiToken !== undefined && isEqual(bearerOf(request), apiToken);

  function hasSession(request: FastifyRequest): boolean {
    const name = cookieName(request);
    // Several of one name: cookies know no ports, so a neighbour on this host may have set another.
    return (request.headers.cookie ?? '').split(';').some((part) => {
      const cookie = request.server.parseCookie(part)[name];
      const { valid, value } = cookie === undefined ? { valid: false, value: null } : request.unsignCookie(cookie);
      return valid && Number(value) > Date.now();
    });
  }

  function checkOrigin(request: FastifyRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    const isForeign =
      (site !== undefined && site !== 'same-origin' && site !== 'none') ||
      (origin !== undefined && !isOrigin(origin, originOf(request), !isSchemeKnown));
    // Browsers name the origin of each request that may change something.
    const isUnnamed = apiToken !== undefined && !isRead(request) && origin === undefined && site === undefined;
    if (isForeign || isUnnamed) throw problemError('SVC021', { path: 'headers.origin' });
  }

  return {
    ownToken,
    originOf,
    hasToken,
    isOwn,
    check(request) {
      if (isOwn(request) || hasToken(request)) return;
      const isRefused = apiToken !== undefined && (request.headers.authorization !== undefined || !hasSession(request));
      if (isRefused) throw problemError('SVC020', { path: 'headers.authorization', headers: challenge });
      checkOrigin(request);
    },
    grantSession(request, reply) {
      if (apiToken === undefined) return;
      reply.setCookie(cookieName(request), String(Date.now() + sessionSeconds * 1000), {
        signed: true,
        httpOnly: true,
        sameSite: 'strict',
        secure: isSecure(request),
        path: '/',
        maxAge: sessionSeconds,
      });
    },
  };
}

const challenge = { 'www-authenticate': 'Bearer realm="schemakit-validator"' };

function bearerOf({ headers }: FastifyRequest): string {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** In constant time, for texts of any length. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Behind a proxy that ends TLS, the service may know the host of its origin but not the scheme. */
function isOrigin(given: string, own: string, byHost: boolean): boolean {
  return byHost ? URL.parse(given)?.host === URL.parse(own)?.host : given === own;
}

const machineNames = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether only this machine reaches the service, without a proxy. */
function isForMachine({ host, publicUrl }: Settings): boolean {
  return publicUrl === undefined && (machineNames.test(host) || host === '::1');
}

/** A hook against DNS rebinding: a service for this machine only answers to names of this machine. */
export function hostCheck(settings: Settings): ((request: FastifyRequest) => void) | undefined {
  if (!isForMachine(settings)) return undefined;
  return ({ host: named }) => {
    // Checked with the port off: it may be forwarded.
    if (!machineNames.test(named.replace(/:\d+$/, '').toLowerCase()))
      throw problemError('SVC022', { path: 'headers.host' });
  };
}
