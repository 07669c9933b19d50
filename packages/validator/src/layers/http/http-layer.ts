import type { Layer } from '../../assess/layer.ts';
import { httpFindings } from './http-findings.ts';
import { categoriesOf, entriesOf, type HttpView, redirectsOf } from './http-view.ts';
import { askPreflight } from './preflight.ts';

/** How the URL is reached: connection, TLS, redirects, CORS, headers. */
export const httpLayer: Layer = {
  name: 'http',
  async run({ url, network, clock, shared }) {
    const [page, connections, preflight] = await Promise.all([
      shared.page(),
      shared.connections(),
      askPreflight(url, { network, clock }),
    ]);
    const view: HttpView = { url, page, connections, preflight, redirects: redirectsOf(page) };
    const isStopped = page.error?.code === 'ABORTED' && clock.signal.aborted;
    const findings = isStopped ? [] : httpFindings(view);
    const isConnected = connections.some(({ ipAddress }) => ipAddress !== null);
    if (page.hops.length > 0 || isConnected)
      return { detected: true, categories: categoriesOf(view), entries: entriesOf(view), findings };
    const skipped = isStopped ? `Not finished, because ${clock.why()}.` : (page.error?.message ?? 'No answer.');
    return { detected: false, state: 'not-evaluated', skipped, findings };
  },
};
