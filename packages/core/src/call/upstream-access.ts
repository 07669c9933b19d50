import {
  createUpstreamLimits,
  type HttpAnswer,
  HttpError,
  type HttpOptions,
  type UpstreamLimits,
} from '@schemakit/http';
import type { UpstreamOptions, UpstreamUse } from './upstream-options.ts';

/** How the requests of one call reach an API, and what they took. */
export interface UpstreamAccess {
  /** For each of its requests. */
  options: Pick<HttpOptions, 'limits' | 'watch' | 'onWait'>;
  use: UpstreamUse;
  /** Takes an answer. */
  note(answer: HttpAnswer): void;
  /** Takes what came in place of an answer. */
  noteFailure(error: unknown): void;
}

const known = new WeakMap<UpstreamOptions, UpstreamLimits>();

/** The limits that belong to these options, made when they are first used. */
function limitsOf(options: UpstreamOptions): UpstreamLimits {
  const limits = known.get(options) ?? createUpstreamLimits(options);
  known.set(options, limits);
  return limits;
}

export function openUpstreamAccess(
  upstream: UpstreamOptions | undefined,
  onProgress: ((message: string) => void) | undefined,
): UpstreamAccess {
  const use: UpstreamUse = { attempts: 0, waitedMs: 0 };
  const watch = upstream?.watch;
  return {
    options: {
      ...(upstream && { limits: limitsOf(upstream) }),
      ...(watch && { watch }),
      ...(onProgress && { onWait: (waitMs) => onProgress(waitText(waitMs)) }),
    },
    use,
    note({ attempts, redirects, waitedMs }) {
      use.attempts = Math.max(use.attempts, attempts - redirects.length);
      use.waitedMs += waitedMs;
    },
    noteFailure(error) {
      if (error instanceof HttpError) use.waitedMs += error.waitedMs ?? 0;
    },
  };
}

/** Undefined where it took what it always takes. */
export function noteworthyUse({ attempts, waitedMs }: UpstreamUse): UpstreamUse | undefined {
  return attempts > 1 || waitedMs >= 1 ? { attempts, waitedMs: Math.round(waitedMs) } : undefined;
}

function waitText(waitMs: number | undefined): string {
  if (waitMs === undefined) return 'Waiting in line for the API';
  return `Waiting ${(waitMs / 1000).toFixed(1)} seconds until the API may be asked`;
}
