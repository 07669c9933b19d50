import type { HttpClient } from '@schemakit/http';

let client: Promise<HttpClient> | undefined;

/** The HTTP client of this process, with its connection pools; loaded at the first request, since listing tools needs none. */
export function sharedHttpClient(): Promise<HttpClient> {
  client ??= import('@schemakit/http').then(({ createHttpClient }) => createHttpClient());
  return client;
}
