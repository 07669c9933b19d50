import type { LookupOptions } from '@schemakit/validator';
import { anyTexts } from './parameters.ts';

/** What to read an agent on a chain with. */
export interface ChainFlags {
  rpc?: readonly string[];
  ipfsGateway?: readonly string[];
}

/** The flags of commands that read agents on chains. */
export const chainFlags: Record<'rpc' | 'ipfsGateway', ReturnType<typeof anyTexts>> = {
  rpc: {
    ...anyTexts('Node of a chain, such as BASE_MAINNET=https://…; two nodes are compared', 'alias=url'),
    proposeCompletions: async () => (await proposeChains()).map((alias) => `${alias}=`),
  },
  ipfsGateway: anyTexts('Gateway for registrations in IPFS, such as https://gateway.example.com', 'url'),
};

export async function proposeChains(): Promise<readonly string[]> {
  return (await import('@schemakit/validator')).chainAliases;
}

/** The options that the flags give; undefined for a node that is not written as `<chain>=<url>`. */
export function chainOptions({
  rpc = [],
  ipfsGateway,
}: ChainFlags): Pick<LookupOptions, 'rpcNodes' | 'ipfsGateways'> | undefined {
  const nodes = rpc.map((text) => /^(?<chain>[^=]+)=(?<url>.+)$/s.exec(text)?.groups);
  if (nodes.includes(undefined)) return undefined;
  const byChain = Map.groupBy(nodes, (node) => node?.chain ?? '');
  const rpcNodes = Object.fromEntries(
    [...byChain].map(([chain, ofChain]) => [chain, ofChain.map((node) => node?.url ?? '')]),
  );
  return { ...(rpc.length > 0 && { rpcNodes }), ...(ipfsGateway !== undefined && { ipfsGateways: ipfsGateway }) };
}

export const WRONG_NODE: readonly [error: string, fix: string] = [
  '--rpc takes a chain and the URL of a node.',
  'Write it as --rpc BASE_MAINNET=https://base.example.com.',
];
