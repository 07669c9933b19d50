import { cutOffError } from '../mcp/cut-off.ts';
import { httpProblem } from './http-problem.ts';

/** The answer of the stateless revision to a request that was going on when the server ended: one that was cut off says so by its status. */
export async function endedAnswer(response: Response, id: string | number | null): Promise<Response> {
  const { code, message } = cutOffError;
  // The SDK has let the request go without a word.
  if (response.status === 499) return httpProblem(503, message, { code, id });
  if (response.headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code: number } };
  return new Response(text, { status: error?.code === code ? 503 : response.status, headers: response.headers });
}
