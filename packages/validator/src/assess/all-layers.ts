import { a2aLayer } from '../layers/a2a/a2a-layer.ts';
import { appsLayer } from '../layers/apps/apps-layer.ts';
import { erc8004Layer } from '../layers/erc8004/erc8004-layer.ts';
import { htmlLayer } from '../layers/html/html-layer.ts';
import { httpLayer } from '../layers/http/http-layer.ts';
import { mcpLayer } from '../layers/mcp/mcp-layer.ts';
import { oauthLayer } from '../layers/oauth/oauth-layer.ts';
import { paymentLayer } from '../layers/payment/payment-layer.ts';
import type { Layer } from './layer.ts';

export const allLayers: readonly Layer[] = [
  httpLayer,
  mcpLayer,
  a2aLayer,
  paymentLayer,
  oauthLayer,
  appsLayer,
  htmlLayer,
  erc8004Layer,
];
