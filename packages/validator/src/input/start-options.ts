import type { Lookup } from '@schemakit/http';

/** Which tools are called to see whether they ask for payment; `safe` are those that declare `readOnlyHint`. */
export type ProbeMode = 'all' | 'safe' | 'none';

/** How much calling there may be. */
export interface ProbeLimits {
  /** Calls in all. Default 100. */
  maxCalls: number;
  /** For one call, in milliseconds. Default 5,000. */
  callTimeout: number;
  /** For all calls, in milliseconds. Default: what `timeout` leaves. */
  totalTime: number;
  /** Calls at a time. Default 4. */
  concurrency: number;
}

/** A server that is started as a process of its own and talks over its standard input and output. */
export interface StdioServer {
  command: string;
  args?: readonly string[];
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/** What `start` takes. */
export interface StartOptions {
  /** Address of the MCP server; required unless `stdio` is given. It may be a loopback or private address. */
  endpoint?: string;
  /** For everything together, in milliseconds. Default 10,000. */
  timeout?: number;
  /** Starts a server by its command in place of an endpoint. */
  stdio?: StdioServer;
  /** Sent to the endpoint's origin only, and masked wherever the server repeats their values. */
  headers?: Readonly<Record<string, string>> | Headers | ReadonlyMap<string, string>;
  /** Default `all`: every tool but those that declare `destructiveHint`. Tools are called for real. */
  probe?: ProbeMode;
  probeLimits?: Partial<ProbeLimits>;
  /** Further origins that may be private, such as the one of an authorization server in the own network, and to which the endpoint may redirect. */
  privateOrigins?: readonly string[];
  /** Holds the endpoint, too, to public addresses: for services whose users are strangers. Default false. */
  publicOnly?: boolean;
  /** Certificates (PEM) of authorities to trust in place of the well-known ones. */
  ca?: string | readonly string[];
  /** Resolves host names in place of `dns.lookup`. */
  lookup?: Lookup;
  /** Ends everything early; what was found until then is returned. */
  signal?: AbortSignal;
  /** Told when a step begins and ends. */
  onProgress?: (progress: Progress) => void;
}

/** Options that were checked, with every default filled in. */
export interface StartSettings
  extends Required<Pick<StartOptions, 'timeout' | 'probe' | 'privateOrigins' | 'publicOnly' | 'onProgress'>>,
    Pick<StartOptions, 'ca' | 'lookup' | 'signal'> {
  /** Null for a server that is started by its command. */
  endpoint: URL | null;
  stdio: StdioServer | null;
  headers: Record<string, string>;
  probeLimits: ProbeLimits;
}

export type Step = 'connect' | 'discover' | 'probe' | 'validate' | 'classify' | 'snapshot';

/** The six steps of `start`, in their order. Classifying comes after the probe, since five of the twelve facts are about payment. */
export const steps: readonly Step[] = ['connect', 'discover', 'probe', 'validate', 'classify', 'snapshot'];

/** Where `start` is. */
export interface Progress {
  step: Step;
  state: 'begin' | 'end';
}

/** Runs one step and tells about it. A listener that throws must not end the run. */
export async function inStep<T>(
  step: Step,
  onProgress: (progress: Progress) => void,
  run: () => Promise<T> | T,
): Promise<T> {
  const tell = (state: Progress['state']): void => {
    try {
      onProgress({ step, state });
    } catch {
      // The listener's own affair.
    }
  };
  tell('begin');
  try {
    return await run();
  } finally {
    tell('end');
  }
}
