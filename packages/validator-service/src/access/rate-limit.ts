import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problemError } from '../problems/problem.ts';
import type { Access } from './access.ts';

const windowSeconds = 60;

/** A hook that counts the requests of each address, apart for those with the token. */
export async function createRateLimit(
  app: FastifyInstance,
  { rateLimit: max, access }: { rateLimit: number; access: Access },
): Promise<(request: FastifyRequest, reply: FastifyReply) => Promise<void>> {
  if (max === 0) return async () => {};
  await app.register(rateLimit, { global: false });
  const count = app.createRateLimit({
    max,
    timeWindow: windowSeconds * 1000,
    // A network of IPv6 is one client.
    ipv6Subnet: 64,
    keyGenerator: (request) => (access.hasToken(request) ? `token ${request.ip}` : request.ip),
    // Calls of our own MCP server were counted when they reached it.
    allowList: (request) => access.isOwn(request),
  });
  return async (request, reply) => {
    const state = await count(request);
    if (state.isAllowed) return;
    const { remaining, ttlInSeconds: reset } = state;
    // The fields of the current draft (draft-ietf-httpapi-ratelimit-headers), and those that clients know from earlier ones.
    reply.headers({
      'ratelimit-policy': `"default";q=${max};w=${windowSeconds}`,
      ratelimit: `"default";r=${remaining};t=${reset}`,
      'ratelimit-limit': max,
      'ratelimit-remaining': remaining,
      'ratelimit-reset': reset,
    });
    if (state.isExceeded) throw problemError('SVC042', { headers: { 'retry-after': String(reset) } });
  };
}
