import { type LookupResult, lookupAgent } from '@schemakit/validator';
import { type CommandResult, type Failure, usageError } from '../../output/command-result.ts';
import { type ChainFlags, chainOptions, WRONG_NODE } from '../chain-nodes.ts';
import { breakOffOnSignals } from '../end-on-signals.ts';
import { lookupText } from './lookup-text.ts';

export interface LookupFlags extends ChainFlags {
  privateOrigin?: readonly string[];
  timeout: number;
}

/** `schemakit lookup <chain> <agentId>`. */
export async function lookUpAgent(
  { privateOrigin, timeout, ...flags }: LookupFlags,
  chain: string,
  id: string,
): Promise<CommandResult> {
  if (!/^\d{1,15}$/.test(id))
    return usageError(`The id of an agent is a whole number, not ${id}.`, 'Write it in digits, such as 22.');
  const given = chainOptions(flags);
  if (given === undefined) return usageError(...WRONG_NODE);
  const broken = new AbortController();
  const looking = lookupAgent({
    agentId: Number(id),
    chainId: chain,
    timeout,
    signal: broken.signal,
    ...given,
    ...(privateOrigin !== undefined && { privateOrigins: privateOrigin }),
  });
  breakOffOnSignals(async () => {
    broken.abort();
    await looking;
  });
  const agent = await looking;
  const worst = agent.findings.find(({ severity }) => severity === 'ERROR');
  // The table of codes tells users of the library what to pass.
  const ownFix = `Add --rpc ${agent.chainAlias ?? agent.chainId}=<url of a node>`;
  const error =
    worst === undefined
      ? {}
      : { error: `${worst.code} ${worst.location}: ${worst.text}`, fix: worst.code === 'RPC-001' ? ownFix : worst.fix };
  return {
    document: { ...agent, ...error },
    text: () => lookupText(agent),
    textHasError: true,
    failure: failureOf(agent),
  };
}

function failureOf({ findings }: LookupResult): Failure {
  const codes = findings.filter(({ severity }) => severity === 'ERROR').map(({ code }) => code);
  const kinds: readonly [RegExp, Failure][] = [
    [/^(?:ASM-|RPC-001$|RPC-006$)/, 'usage'],
    [/^RPC-007$/, 'other'],
    [/^RPC-003$/, 'notFound'],
    [/^(?:RPC-002|RPC-010)$/, 'upstream'],
  ];
  return kinds.find(([code]) => codes.some((one) => code.test(one)))?.[1] ?? 'validation';
}
