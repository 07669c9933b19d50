import { scrubJson } from '@schemakit/http';
import type { ClientContext } from '@schemakit/server';
import { depthKey } from '../manifest/mcp-tools.ts';

/** What a caller sends may contain its own token, which is neither stored nor sent to the model. */
export function withoutToken(args: unknown, { maskToken }: ClientContext): Record<string, unknown> {
  return (maskToken ? scrubJson(args, maskToken) : args) as Record<string, unknown>;
}

/** Clients may send anything. What is no count says as little as nothing; agents of ours count on from there. */
export function depthOf({ meta }: ClientContext): number {
  const depth = meta?.[depthKey];
  return typeof depth === 'number' && Number.isSafeInteger(depth) && depth > 0 ? depth : 0;
}
