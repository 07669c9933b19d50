import type { LayerName } from '../input/layer-names.ts';
import { mcpLayer } from '../layers/mcp/mcp-layer.ts';
import { oauthLayer } from '../layers/oauth/oauth-layer.ts';
import { paymentLayer } from '../layers/payment/payment-layer.ts';
import type { Layer } from './layer.ts';

/** All layers. Each of the last is replaced by its own folder. */
export const allLayers: readonly Layer[] = [
  mcpLayer,
  paymentLayer,
  oauthLayer,
  ...(['http', 'a2a', 'apps', 'html', 'erc8004'] as const).map(unwritten),
];

function unwritten(name: LayerName): Layer {
  const skipped = 'This layer is not part of this version.';
  return { name, run: async () => ({ detected: false, state: 'not-evaluated', skipped }) };
}
