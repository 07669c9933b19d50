import { createHttpClient, type HttpClient } from '@schemakit/http';

/** One client for all requests of this process, so that they share connections. Idle ones do not keep the process alive. */
export const http: HttpClient = createHttpClient();
