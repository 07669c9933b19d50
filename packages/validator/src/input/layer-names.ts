export type LayerName = 'http' | 'mcp' | 'a2a' | 'payment' | 'oauth' | 'apps' | 'html' | 'erc8004';

/** The layers of an assessment, in the order of its result. */
export const layerNames: readonly LayerName[] = ['http', 'mcp', 'a2a', 'payment', 'oauth', 'apps', 'html', 'erc8004'];
