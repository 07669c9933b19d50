import type { Texts } from './texts/texts.ts';

/** Problem details of RFC 9457, as far as the page shows them. */
export interface Problem {
  status?: number;
  title?: string;
  detail?: string;
  /** Seconds to wait. */
  retryAfter?: string;
}

export type Answer<T> = { value: T } | { problem: Problem };

/** Asks the API of this service. Never rejects. */
export async function ask<T>(
  path: string,
  { body, ...init }: Omit<RequestInit, 'body'> & { body?: unknown } = {},
): Promise<Answer<T>> {
  try {
    const response = await fetch(path, body === undefined ? init : { method: 'POST', ...init, ...asJson(body) });
    if (!response.ok) return { problem: await problemOf(response) };
    return { value: (response.status === 204 ? undefined : await response.json()) as T };
  } catch {
    return { problem: {} };
  }
}

export function asJson(body: unknown): { headers: Record<string, string>; body: string } {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export async function problemOf(response: Response): Promise<Problem> {
  const { status } = response;
  const retryAfter = response.headers.get('retry-after');
  const told: Problem = await response.json().catch(() => ({}));
  return { ...told, status, ...(retryAfter !== null && { retryAfter }) };
}

/** A problem in words. Without a status, there was no answer. */
export function problemText({ status, title, detail, retryAfter }: Problem, { problems }: Texts): string {
  if (status === undefined && title === undefined) return problems.offline;
  if (status === 401) return problems.expired;
  if (status === 429 && retryAfter !== undefined) return problems.busy(retryAfter);
  return detail ?? title ?? `HTTP ${status}`;
}
