/** How many hosts there are, how large they get, and how long they stay. */
export interface PoolSettings {
  /** Most hosts at a time. */
  size: number;
  /** Heap of a host in MiB. */
  memoryMb: number;
  /** How long a host stays without work, in milliseconds. */
  idleMs: number;
}

/** Node.js and SES need half of it. */
const LEAST_MEMORY_MB = 64;

/**
 * What the environment says about hosts. A value that is no positive whole number counts as none.
 *
 * - `SCHEMAKIT_HANDLER_HOSTS`: most hosts at a time
 * - `SCHEMAKIT_HANDLER_MEMORY_MB`: heap of a host
 * - `SCHEMAKIT_HANDLER_IDLE_MS`: how long a host stays without work
 */
export function settingsFromEnvironment(environment: Readonly<NodeJS.ProcessEnv> = process.env): Partial<PoolSettings> {
  const size = positiveInteger(environment.SCHEMAKIT_HANDLER_HOSTS);
  const memoryMb = positiveInteger(environment.SCHEMAKIT_HANDLER_MEMORY_MB);
  const idleMs = positiveInteger(environment.SCHEMAKIT_HANDLER_IDLE_MS);
  return {
    ...(size !== undefined && { size }),
    ...(memoryMb !== undefined && { memoryMb: Math.max(memoryMb, LEAST_MEMORY_MB) }),
    ...(idleMs !== undefined && { idleMs }),
  };
}

/** Milliseconds that a hook, and all hooks of a call together, may take: `SCHEMAKIT_HANDLER_TIMEOUT_MS`, or 30 seconds. */
export function defaultTimeoutMs(): number {
  return positiveInteger(process.env.SCHEMAKIT_HANDLER_TIMEOUT_MS) ?? 30_000;
}

function positiveInteger(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
