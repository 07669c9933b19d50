import { syncBuiltinESMExports } from 'node:module';
import { brokeredHttp } from './brokered-http.ts';
import { closeFunctions } from './close-ways-out.ts';
import { taskInProgress } from './tasks.ts';
import { brokeredFetch } from './web/fetch.ts';
import { webApi } from './web/web-api.ts';

/**
 * Gives libraries the network that handlers have: `fetch`, and the requests of `node:http` and `node:https`, are made by our
 * process. What cannot be routed is closed, so that it fails at once and says why; so are ways to files that are left open.
 *
 * Loading these modules takes tens of milliseconds, which only hosts with libraries have to spend.
 */
export async function openLibraryNetwork(): Promise<void> {
  Object.assign(globalThis, { ...webApi, fetch: brokeredFetch(taskInProgress) });
  const [http, https, http2, tls, inspector, v8, traceEvents] = await Promise.all([
    import('node:http'),
    import('node:https'),
    import('node:http2'),
    import('node:tls'),
    import('node:inspector'),
    import('node:v8'),
    import('node:trace_events'),
  ]);
  Object.assign(http.default, brokeredHttp('http:'));
  Object.assign(https.default, brokeredHttp('https:'));
  closeFunctions(http.default, ['createServer']);
  closeFunctions(https.default, ['createServer']);
  closeFunctions(http2.default, ['connect', 'createServer', 'createSecureServer']);
  closeFunctions(tls.default, ['connect', 'createServer']);
  closeFunctions(inspector.default, ['open']);
  // These write files where the permission model does not look, the second with flags of V8 such as `--logfile`.
  closeFunctions(traceEvents.default, ['createTracing']);
  closeFunctions(v8.default, ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit']);
  syncBuiltinESMExports();
}
