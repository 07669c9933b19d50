import { httpProblem } from './http-problem.ts';
import type { SessionRequest } from './sessions.ts';

/** The first revision of MCP without sessions. */
export const firstStateless = '2026-07-28';
const allow = 'GET, POST, DELETE, OPTIONS';

/** The answer to a request of Streamable HTTP in a form that the revision which it names does not have; undefined for others. */
export function checkForm({ request, parsedBody }: SessionRequest): Response | undefined {
  const { method } = request;
  if (method === 'POST' && !Array.isArray(parsedBody)) return undefined;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  if (!['GET', 'POST', 'DELETE'].includes(method)) return methodNotAllowed(allow);
  const revision = request.headers.get('mcp-protocol-version');
  if (revision === null || revision < firstStateless) return undefined;
  if (method !== 'POST') return methodNotAllowed('POST', `Revision ${revision} of MCP has no ${method}.`);
  const message = `Revision ${revision} of MCP has no batches. Send each message in a request of its own.`;
  return httpProblem(400, message, { code: -32600 });
}

/** @param reason What stands before what to use instead. */
export function methodNotAllowed(allowed: string, reason = 'Method not allowed.'): Response {
  return httpProblem(405, `${reason} Use ${allowed}.`, { headers: { Allow: allowed } });
}
