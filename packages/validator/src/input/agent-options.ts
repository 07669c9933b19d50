import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { plainText } from '../findings/plain-text.ts';
import { chainIdOf } from '../layers/erc8004/chains.ts';

/** How an agent of ERC-8004 is read from its chain. */
export interface Erc8004Options {
  /** By alias of a chain, such as `BASE_MAINNET`, or its id: the URL of a node, or several. Two are compared, the others stand in. May be private. */
  rpcNodes?: Readonly<Record<string, string | readonly string[]>>;
  /** The id of the agent, from 0 on. Default: the one that the agent card or the well-known file names. */
  agentId?: number;
  /** Such as 8453, `eip155:8453` or `BASE_MAINNET`. */
  chainId?: number | string;
  /** Gateways for `ipfs:`, tried in order; such as `https://gateway.example.com`. May be private. */
  ipfsGateways?: readonly string[];
}

/** Checks the options of an agent; `place` is where they stand. */
export function agentProblems(options: PlainObject, place: string): Finding[] {
  const { rpcNodes, agentId, chainId, ipfsGateways, ...others } = options;
  const problem = (code: Code, name: string, text: string): Finding => finding(code, `${place}.${name}`, text);
  const isId = Number.isSafeInteger(agentId) && Number(agentId) >= 0;
  const isGateways = Array.isArray(ipfsGateways) && ipfsGateways.every(isHttpUrl);
  return [
    ...(rpcNodes === undefined ? [] : nodeProblems(rpcNodes, `${place}.rpcNodes`)),
    ...(agentId === undefined || isId ? [] : [problem('ASM-017', 'agentId', 'Must be a whole number, from 0 on')]),
    ...(chainId === undefined || chainIdOf(chainId) !== undefined
      ? []
      : [problem('ASM-018', 'chainId', 'Must be the id of a chain, such as 8453, `eip155:8453` or `BASE_MAINNET`')]),
    ...(ipfsGateways === undefined || isGateways
      ? []
      : [problem('ASM-007', 'ipfsGateways', 'Must be an array of https: or http: URLs')]),
    ...Object.keys(others).map((name) =>
      finding('ASM-007', `${place}.${plainText(name, 80)}`, 'Unknown option', { severity: 'WARNING' }),
    ),
  ];
}

function nodeProblems(rpcNodes: unknown, place: string): Finding[] {
  if (!isPlainObject(rpcNodes)) return [finding('ASM-012', place, 'Must be an object of URLs by chain')];
  if (Object.keys(rpcNodes).length === 0) return [finding('ASM-013', place, 'Has no nodes')];
  return Object.entries(rpcNodes).flatMap(([alias, given]) => {
    if (alias.trim() === '') return [finding('ASM-014', place, 'An alias of a chain is blank')];
    const nodes = [given].flat();
    const isBlank = nodes.length === 0 || nodes.some((node) => typeof node === 'string' && node.trim() === '');
    if (isBlank) return [finding('ASM-015', `${place}.${alias}`, 'Has no URL')];
    return nodes.every(isHttpUrl) ? [] : [finding('ASM-016', `${place}.${alias}`, 'Must be an https: or http: URL')];
  });
}

function isHttpUrl(text: unknown): boolean {
  return typeof text === 'string' && /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}
