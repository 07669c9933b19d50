import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './access.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With `no-referrer`, browsers would send the plain form with the origin `null`.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** A hook for all answers. Routes may set other values; nothing is cached unless a route says so. */
export function securityHeaders(access: Access): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    reply.headers({ ...headers, 'cache-control': 'no-store' });
    if (access.originOf(request).startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000');
  };
}
