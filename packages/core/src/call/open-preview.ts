import { type Finding, hasNoErrors } from '../format/finding.ts';
import type { JsonValue } from '../format/json.ts';
import type { FetchOptions } from './fetch-tool.ts';

/** What is planned is looked at, not sent: there is nothing to wait for or to keep. */
export type PreviewOptions = Omit<FetchOptions, 'timeoutMs' | 'cache' | 'refresh'>;

/** The request that a call would send. */
export interface CallPreview {
  /** False where the call would fail before it sends anything, but for secrets that are not set: those are warnings. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Null where `status` is false, and where a handler makes the request itself. Secrets are `{{NAME}}`. */
  request: PlannedRequest | null;
  /** The same as a command for a POSIX shell. Secrets are `"$NAME"`. */
  curl: string | null;
}

export interface PlannedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** A value where it is sent as JSON, otherwise text; absent where nothing is sent. */
  body?: JsonValue;
}

/**
 * Shows the request that a call would send, and sends nothing. `preRequest` runs behind the wall, without a network: where it
 * asks for something, the request is shown as it was before, with a warning. Never throws.
 */
export async function previewCall(options: PreviewOptions): Promise<CallPreview> {
  try {
    const { planPreview } = await import('./preview-call.ts');
    return await planPreview(options ?? {});
  } catch (error) {
    const { code = 'INTERNAL', hint } = Object(error) as { code?: string; hint?: string };
    const message = error instanceof Error ? error.message : String(error);
    return previewResult([{ code, severity: 'error', path: options?.routeName ?? '', message, ...(hint && { hint }) }]);
  }
}

/** A preview without a request. */
export function previewResult(findings: Finding[]): CallPreview {
  return {
    status: hasNoErrors(findings),
    messages: findings.map(({ message }) => message),
    findings,
    request: null,
    curl: null,
  };
}
