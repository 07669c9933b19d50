import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field } from '../../findings/plain-object.ts';
import { chainIdOf, registriesOf } from './chains.ts';

/** The id of an agent and its chain. */
export interface AgentTarget {
  agentId: number;
  chainId: number;
}

export function isSameAgent(one: AgentTarget, other: AgentTarget): boolean {
  return one.agentId === other.agentId && one.chainId === other.chainId;
}

const MAX_AGENTS = 50;

/** The agents that an array of `{ agentId, agentRegistry: 'eip155:<chain>:<address>' }` names. */
export function readRegistrations(
  value: unknown,
  place: string,
): { registrations: AgentTarget[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const items: unknown[] = Array.isArray(value) ? value.slice(0, MAX_AGENTS) : [];
  const registrations = items.flatMap((item, index): AgentTarget[] => {
    const evidence = partEvidence(`${place}[${index}]`, item);
    const find = (code: `REG-02${0 | 1 | 2 | 3}`, name: string, text: string): [] => {
      findings.push(finding(code, `${place}[${index}].${name}`, text, { evidence }));
      return [];
    };
    const agentId = idOf(field(item, 'agentId'));
    if (agentId === undefined) find('REG-020', 'agentId', 'Must be a whole number, from 0 on');
    const registry = field(item, 'agentRegistry');
    if (typeof registry !== 'string') return find('REG-021', 'agentRegistry', 'Must be `eip155:<chain>:<address>`');
    const [, chain, address] = /^(eip155:\d+):(0x[0-9a-f]{40})$/i.exec(registry) ?? [];
    const chainId = chainIdOf(chain);
    const known = chainId === undefined ? undefined : registriesOf(chainId);
    if (chainId === undefined || known === undefined)
      return find('REG-022', 'agentRegistry', 'Names no chain with a known registry');
    if (known.identity.toLowerCase() !== address?.toLowerCase())
      return find('REG-023', 'agentRegistry', `Is not the registry of this chain, which is ${known.identity}`);
    return agentId === undefined ? [] : [{ agentId, chainId }];
  });
  return { registrations, findings };
}

/** Some write the number as a text. */
function idOf(given: unknown): number | undefined {
  const id = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
}
