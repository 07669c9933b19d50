export type OpenTelemetry = typeof import('@opentelemetry/api');

// The API of OpenTelemetry keeps what a program has registered here. Where nothing is, it is not even loaded.
const registry = Symbol.for('opentelemetry.js.api.1');
let api: OpenTelemetry | undefined;
let isMissing = false;

/** Whether the program has set up OpenTelemetry. */
export function isTracing(): boolean {
  return registry in globalThis && !isMissing;
}

/** A program may have a copy of its own that cannot be found from here: then there are no traces, and calls go on. */
export async function openTelemetry(): Promise<OpenTelemetry | undefined> {
  try {
    api ??= await import('@opentelemetry/api');
  } catch {
    isMissing = true;
  }
  return api;
}

/** The API, where it is in use and was opened before. */
export function knownTelemetry(): OpenTelemetry | undefined {
  return isTracing() ? api : undefined;
}
