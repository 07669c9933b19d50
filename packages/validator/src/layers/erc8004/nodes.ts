import { HttpError } from '@schemakit/http';
import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';
import { chainIdOf } from './chains.ts';

export type Viem = typeof import('viem');

/** Loads `viem`, which only users of this layer need to install. */
export async function loadViem(): Promise<Viem | undefined> {
  try {
    return await import('viem');
  } catch {
    return undefined;
  }
}

/** A node of a chain. */
export interface RpcNode {
  url: URL;
  /** For texts: without the path and the query, which may contain a key. */
  name: string;
}

export type RpcNodes = Readonly<Record<string, string | readonly string[]>>;

const MAX_NODES = 8;

/** The nodes of a chain, whatever name of the chain they stand under. */
export function nodesOf(chainId: number, rpcNodes: RpcNodes): RpcNode[] {
  const urls = Object.entries(rpcNodes).flatMap(([chain, given]) => (chainIdOf(chain) === chainId ? given : []));
  const distinct = [...new Set(urls.map((text) => new URL(text).href))]
    .slice(0, MAX_NODES)
    .map((text) => new URL(text));
  return distinct.map((url, index) => ({ url, name: `node ${index + 1} (${url.host})` }));
}

const MAX_ANSWER_BYTES = 1024 * 1024;
export const TOO_LARGE: string = `answered with more than ${MAX_ANSWER_BYTES} bytes`;

/** A node that answered, but cannot be used. */
export class NodeFault extends Error {}

/** A client of a node. Its requests go through the guard; redirects are not followed. */
export function nodeClient(
  { url }: RpcNode,
  { viem, network, clock }: { viem: Viem; network: Network; clock: Clock },
): ReturnType<Viem['createPublicClient']> {
  const timeout = Math.max(1, Math.ceil(clock.remaining()));
  const fetchFn = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const request = { url: String(input), method: 'POST', headers, body: String(init.body) };
    const answer = await network.stream(request, clock.remaining());
    if (answer.status === 200) return new Response(answer.body, { headers: answer.headers });
    await answer.body.cancel();
    throw new NodeFault(`answered with HTTP ${answer.status}`);
  };
  const transport = viem.http(url.href, { fetchFn, timeout, maxResponseBodySize: MAX_ANSWER_BYTES, retryCount: 0 });
  // CCIP-Read would let a contract name any URL to fetch, past the guard.
  return viem.createPublicClient({ transport, ccipRead: false });
}

/** Why a node gave no usable answer. */
export function nodeFault(error: unknown, viem: Viem): string {
  const cause = <T>(kind: abstract new (...args: never[]) => T): T | undefined => {
    if (!(error instanceof viem.BaseError)) return error instanceof kind ? error : undefined;
    return (error.walk((one) => one instanceof kind) as T | null) ?? undefined;
  };
  const own = cause(NodeFault) ?? cause(HttpError);
  const isLate = own instanceof HttpError && (own.code === 'ETIMEDOUT' || own.code === 'ABORTED');
  if (isLate || cause(viem.TimeoutError) !== undefined) return 'did not answer in time';
  if (own !== undefined) return own.message;
  if (cause(viem.ResponseBodyTooLargeError) !== undefined) return TOO_LARGE;
  if (cause(viem.HttpRequestError) !== undefined) return 'did not answer in JSON';
  const rpc = cause(viem.RpcRequestError);
  if (rpc !== undefined) return `answered with the error ${rpc.code}: ${rpc.details}`;
  if (isWithoutContract(error, viem)) return 'has no contract at the address of the registry';
  const base = cause(viem.BaseError);
  if (base === undefined || cause(viem.UnknownRpcError) !== undefined) return 'did not answer as a JSON-RPC node';
  return `did not answer as expected: ${base.shortMessage}`;
}

export function isWithoutContract(error: unknown, viem: Viem): boolean {
  if (!(error instanceof viem.BaseError)) return false;
  return error.walk((one) => one instanceof viem.ContractFunctionZeroDataError) !== null;
}

/** Whether the contract refused a call; errors of the node itself do not count. */
export function isRevert(error: unknown, viem: Viem): boolean {
  if (!(error instanceof viem.BaseError)) return false;
  const reverted = error.walk((one) => one instanceof viem.ContractFunctionRevertedError);
  if (reverted instanceof viem.ContractFunctionRevertedError)
    return (reverted.raw ?? '').length >= 10 || /revert/i.test(reverted.reason ?? '');
  return /execution reverted/i.test(error.details ?? '');
}
