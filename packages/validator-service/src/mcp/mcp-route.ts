import type { FastifyInstance } from 'fastify';
export function mcpRoute(
  _app: FastifyInstance,
  _options: { token: string; origin: () => string; bodyLimit: number },
): void {}
