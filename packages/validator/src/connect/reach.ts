import { HttpError } from '@schemakit/http';
import type { Network } from '../network/network.ts';

/** Whether the endpoint answered to HEAD, and how. */
export type Reach =
  | { isReachable: true; headers: Record<string, string>; status: number }
  | { isReachable: false; error: HttpError };

/** Any HTTP answer counts, 405 too. */
export async function reach(
  url: URL,
  headers: Record<string, string>,
  { network, signal }: { network: Network; signal: AbortSignal },
): Promise<Reach> {
  try {
    const answer = await network.head(url, headers, signal);
    return { isReachable: true, headers: answer.headers, status: answer.status };
  } catch (error) {
    if (error instanceof HttpError) return { isReachable: false, error };
    throw error;
  }
}
