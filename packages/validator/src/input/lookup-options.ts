import { type Finding, finding, isClean } from '../findings/finding.ts';
import { isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { reasonOf } from '../findings/plain-text.ts';
import { chainIdOf } from '../layers/erc8004/chains.ts';
import { agentProblems, type Erc8004Options } from './agent-options.ts';
import { checkAsStart, type StartOptions, type StartSettings } from './start-options.ts';

export interface LookupOptions
  extends Pick<StartOptions, 'timeout' | 'publicOnly' | 'privateOrigins' | 'ca' | 'lookup' | 'signal'>,
    Omit<Erc8004Options, 'agentId' | 'chainId'> {
  /** The id of the agent, from 0 on. */
  agentId: number;
  /** Such as 8453, `eip155:8453` or `BASE_MAINNET`. */
  chainId: number | string;
}

interface LookupSettings {
  target: { agentId: number; chainId: number };
  erc8004: Erc8004Options;
  settings: StartSettings;
}

const DEFAULT_TIMEOUT = 15_000;

/** Checks the options of `lookupAgent`. Returns settings if they are valid. */
export function checkLookup(input: unknown): { findings: Finding[]; checked?: LookupSettings } {
  try {
    return checkOptions(isPlainObject(input) ? { ...input } : {});
  } catch (error) {
    const text = `Cannot read the options: ${reasonOf(error)}`;
    return { findings: [finding('ASM-007', 'lookup', text)] };
  }
}

function checkOptions(options: PlainObject): { findings: Finding[]; checked?: LookupSettings } {
  const { agentId, chainId, rpcNodes, ipfsGateways, timeout = DEFAULT_TIMEOUT, ...others } = options;
  const { findings: found, settings } = checkAsStart(
    { ...others, timeout },
    { place: 'lookup', url: NO_ENDPOINT, unfit: NOT_OF_LOOKUP },
  );
  const erc8004 = { rpcNodes, agentId: agentId ?? null, chainId: chainId ?? null, ipfsGateways };
  const findings = [...found, ...agentProblems(erc8004, 'lookup')];
  const chain = chainIdOf(chainId);
  if (!isClean(findings) || settings === undefined || chain === undefined) return { findings };
  const target = { agentId: Number(agentId), chainId: chain };
  const given = structuredClone({ rpcNodes, ipfsGateways }) as Erc8004Options;
  return { findings, checked: { target, erc8004: given, settings } };
}

/** `checkStart` wants one; it is never asked. */
const NO_ENDPOINT = 'https://example.invalid/';

const NOT_OF_LOOKUP = ['endpoint', 'stdio', 'headers', 'probe', 'probeLimits', 'onProgress'];
