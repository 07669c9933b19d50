import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, textOrNull, texts } from '../../findings/plain-object.ts';
import { nameList } from '../../findings/plain-text.ts';
import { chainIdOf, registriesOf } from './chains.ts';

/** The id of an agent and its chain. */
export interface AgentTarget {
  agentId: number;
  chainId: number;
}

export interface AgentService {
  name: string;
  endpoint: string;
  version: string | null;
}

/** How to reach an agent, by protocol; the first service of each. */
export interface AgentEndpoints {
  mcp: string | null;
  a2a: string | null;
  web: string | null;
  oasf: string | null;
  ens: string | null;
  did: string | null;
  email: string | null;
  all: AgentService[];
}

/** What a registration file says, as far as it can be read. */
export interface Registration {
  name: string | null;
  description: string | null;
  image: string | null;
  endpoints: AgentEndpoints;
  oasf: { version: string | null; skills: string[]; domains: string[] } | null;
  x402Support: boolean | null;
  isActive: boolean | null;
  supportedTrust: string[];
  registrations: AgentTarget[];
  isSpecCompliant: boolean;
}

const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';
const MAX_SERVICES = 50;
const PROTOCOLS = ['mcp', 'a2a', 'web', 'oasf', 'ens', 'did', 'email'] as const;
/** Those whose endpoint is a URL. */
const OF_URLS: ReadonlySet<string> = new Set(['mcp', 'a2a', 'web']);
const TRUST: ReadonlySet<string> = new Set(['reputation', 'crypto-economic', 'tee-attestation', 'validation']);
const FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'image', 'services', 'x402Support', 'active', 'registrations', 'supportedTrust'],
  ...['endpoints', 'x402support', 'updatedAt'],
]);

/** Reads and checks the registration file of an agent. Earlier names of fields are accepted. */
export function checkRegistration(
  document: PlainObject,
  target: AgentTarget,
): { registration: Registration; findings: Finding[] } {
  const findings: Finding[] = [];
  const find = (code: 'REG-030' | 'REG-031' | 'REG-032', name: string, text: string, value: unknown): void => {
    findings.push(
      finding(code, `registration.${name}`, text, { evidence: partEvidence(`registration ${name}`, value) }),
    );
  };
  const wrong = (name: string, text: string, value?: unknown): void => find('REG-030', name, text, value);
  const [type, x402, active, image, trust] = ['type', 'x402Support', 'active', 'image', 'supportedTrust'].map((name) =>
    field(document, name),
  );
  if (type !== TYPE) wrong('type', `Must be \`${TYPE}\``, type);
  for (const name of ['name', 'description']) {
    const value = field(document, name);
    if (typeof value !== 'string' || value.trim() === '') wrong(name, 'Must be a text', value);
  }
  if (image !== undefined && (typeof image !== 'string' || (image !== '' && !URL.canParse(image))))
    wrong('image', 'Must be a URL', image);
  const oldX402 = field(document, 'x402support');
  if (x402 === undefined && oldX402 !== undefined) find('REG-031', 'x402support', 'Now called `x402Support`', oldX402);
  for (const [name, value] of [
    ['x402Support', x402 ?? oldX402],
    ['active', active],
  ] as const)
    if (value !== undefined && typeof value !== 'boolean') wrong(name, 'Must be true or false', value);
  if (trust !== undefined && !Array.isArray(trust)) wrong('supportedTrust', 'Must be an array', trust);
  const unknownTrust = texts(trust).filter((name) => !TRUST.has(name));
  if (unknownTrust.length > 0) find('REG-032', 'supportedTrust', `Unknown: ${nameList(unknownTrust)}`, trust);
  const unknown = Object.keys(document).filter((name) => !FIELDS.has(name));
  if (unknown.length > 0) find('REG-032', 'fields', `Unknown fields: ${nameList(unknown)}`, unknown);

  const oldServices = field(document, 'endpoints');
  const services = field(document, 'services') ?? oldServices;
  if (field(document, 'services') === undefined && Array.isArray(oldServices))
    find('REG-031', 'endpoints', 'Now called `services`', oldServices);
  if (!Array.isArray(services) || services.length === 0) wrong('services', 'Must be an array of services', services);
  const list = Array.isArray(services) ? services.slice(0, MAX_SERVICES) : [];
  const all = list.flatMap((item: unknown, index): AgentService[] => {
    const place = `services[${index}]`;
    const [name, oldName, endpoint, url] = ['name', 'type', 'endpoint', 'url'].map((key) => field(item, key));
    if (!isPlainObject(item)) {
      wrong(place, 'Must be an object', item);
      return [];
    }
    if (name === undefined && oldName !== undefined) find('REG-031', `${place}.type`, 'Now called `name`', item);
    if (endpoint === undefined && url !== undefined) find('REG-031', `${place}.url`, 'Now called `endpoint`', item);
    const service = { name: name ?? oldName, endpoint: endpoint ?? url, version: textOrNull(item.version) };
    if (typeof service.name !== 'string' || service.name.trim() === '') wrong(`${place}.name`, 'Must be a text', item);
    if (typeof service.endpoint !== 'string' || service.endpoint.trim() === '')
      wrong(`${place}.endpoint`, 'Must be a text', item);
    if (typeof service.name !== 'string' || typeof service.endpoint !== 'string') return [];
    const protocol = service.name.toLowerCase();
    if (OF_URLS.has(protocol) && !/^https?:$/.test(URL.parse(service.endpoint)?.protocol ?? ''))
      wrong(`${place}.endpoint`, `Must be an https: or http: URL for \`${service.name}\``, item);
    if (!PROTOCOLS.some((known) => known === protocol) && !/^agentwallet$/i.test(protocol))
      find('REG-032', `${place}.name`, `Unknown protocol: \`${service.name}\``, item);
    return [{ ...service, name: service.name, endpoint: service.endpoint }];
  });
  const isSpecCompliant = !findings.some(({ code }) => code !== 'REG-032');

  const named = readRegistrations(field(document, 'registrations'), 'registration.registrations');
  findings.push(...named.findings, ...ownFinding(named.registrations, target, field(document, 'registrations')));
  const first = (protocol: string): string | null =>
    all.find(({ name }) => name.toLowerCase() === protocol)?.endpoint ?? null;
  const [mcp, a2a, web, oasf, ens, did, email] = PROTOCOLS.map(first);
  const oasfService = list.find((item) => String(field(item, 'name') ?? field(item, 'type')).toLowerCase() === 'oasf');
  const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
  const registration: Registration = {
    name: textOrNull(field(document, 'name')),
    description: textOrNull(field(document, 'description')),
    image: textOrNull(image),
    endpoints: {
      mcp: mcp ?? null,
      a2a: a2a ?? null,
      web: web ?? null,
      oasf: oasf ?? null,
      ens: ens ?? null,
      did: did ?? null,
      email: email ?? null,
      all,
    },
    oasf: isPlainObject(oasfService)
      ? {
          version: textOrNull(oasfService.version),
          skills: texts(oasfService.skills),
          domains: texts(oasfService.domains),
        }
      : null,
    x402Support: flag(x402 ?? oldX402),
    isActive: flag(active),
    supportedTrust: texts(trust),
    registrations: named.registrations,
    isSpecCompliant: isSpecCompliant && named.findings.length === 0,
  };
  return { registration, findings };
}

function ownFinding(registrations: readonly AgentTarget[], target: AgentTarget, value: unknown): Finding[] {
  if (registrations.some((one) => isSameAgent(one, target))) return [];
  const isNone = registrations.length === 0;
  const text = isNone ? 'Does not name this agent' : 'Names other agents, not this one';
  const evidence = partEvidence('registration registrations', value);
  return [
    finding('REG-033', 'registration.registrations', text, { evidence, ...(isNone && { severity: 'INFO' as const }) }),
  ];
}

export function isSameAgent(one: AgentTarget, other: AgentTarget): boolean {
  return one.agentId === other.agentId && one.chainId === other.chainId;
}

/** The agents that an array of `{ agentId, agentRegistry: 'eip155:<chain>:<address>' }` names. */
export function readRegistrations(
  value: unknown,
  place: string,
): { registrations: AgentTarget[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const items = Array.isArray(value) ? value.slice(0, MAX_SERVICES) : [];
  const registrations = items.flatMap((item: unknown, index): AgentTarget[] => {
    const evidence = partEvidence(`${place}[${index}]`, item);
    const find = (code: 'REG-020' | 'REG-021' | 'REG-022' | 'REG-023', name: string, text: string): void => {
      findings.push(finding(code, `${place}[${index}].${name}`, text, { evidence }));
    };
    const [agentId, agentRegistry] = ['agentId', 'agentRegistry'].map((name) => field(item, name));
    const id = typeof agentId === 'string' && /^\d+$/.test(agentId) ? Number(agentId) : agentId;
    const isId = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0;
    if (!isId) find('REG-020', 'agentId', 'Must be a whole number, from 0 on');
    if (typeof agentRegistry !== 'string') {
      find('REG-021', 'agentRegistry', 'Must be `eip155:<chain>:<address>`');
      return [];
    }
    const [, chain, address] = /^(eip155:\d+):(0x[0-9a-f]{40})$/i.exec(agentRegistry) ?? [];
    const chainId = chainIdOf(chain);
    const known = chainId === undefined ? undefined : registriesOf(chainId);
    if (chainId === undefined || known === undefined)
      find('REG-022', 'agentRegistry', 'Names no chain with a known registry');
    else if (known.identity.toLowerCase() !== address?.toLowerCase())
      find('REG-023', 'agentRegistry', `Is not the registry of this chain, which is ${known.identity}`);
    else if (isId) return [{ agentId: id, chainId }];
    return [];
  });
  return { registrations, findings };
}
