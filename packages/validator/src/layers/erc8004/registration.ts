import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, textOrNull, texts } from '../../findings/plain-object.ts';
import { nameList } from '../../findings/plain-text.ts';
import { type AgentTarget, isSameAgent, readRegistrations } from './named-agents.ts';

export interface AgentService {
  name: string;
  endpoint: string;
  version: string | null;
}

const PROTOCOLS = ['mcp', 'a2a', 'web', 'oasf', 'ens', 'did', 'email'] as const;

/** How to reach an agent, by protocol; the first service of each. */
export type AgentEndpoints = Record<(typeof PROTOCOLS)[number], string | null> & { all: AgentService[] };

/** What a registration file says, as far as it can be read. */
export interface Registration {
  facts: {
    name: string | null;
    description: string | null;
    image: string | null;
    supportedTrust: string[];
    endpoints: AgentEndpoints;
  };
  oasf: { version: string | null; skills: string[]; domains: string[] } | null;
  isX402: boolean;
  isActive: boolean | null;
  isSpecCompliant: boolean;
}

const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';
const MAX_SERVICES = 50;
/** Those whose endpoint is a URL. */
const OF_URLS: ReadonlySet<string> = new Set(['mcp', 'a2a', 'web']);
const KNOWN_SERVICES: ReadonlySet<string> = new Set([...PROTOCOLS, 'agentwallet']);
const TRUST: ReadonlySet<string> = new Set(['reputation', 'crypto-economic', 'tee-attestation', 'validation']);

interface Rules {
  fields: Readonly<Record<string, readonly [expected: string, isRight: (value: unknown) => boolean]>>;
  /** Now: by earlier name. */
  renamed: Readonly<Record<string, string>>;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isAbsentOr = (isRight: (value: unknown) => boolean) => (value: unknown) => value === undefined || isRight(value);
const isFlag = isAbsentOr((value) => typeof value === 'boolean');

const OF_FILE: Rules = {
  fields: {
    type: [`\`${TYPE}\``, (value) => value === TYPE],
    name: ['a text', isText],
    description: ['a text', isText],
    image: ['a URL', isAbsentOr((value) => value === '' || (typeof value === 'string' && URL.canParse(value)))],
    x402Support: ['true or false', isFlag],
    active: ['true or false', isFlag],
    supportedTrust: ['an array', isAbsentOr(Array.isArray)],
    services: ['an array of services', (value) => Array.isArray(value) && value.length > 0],
  },
  renamed: { endpoints: 'services', x402support: 'x402Support' },
};
const OF_SERVICE: Rules = {
  fields: { name: ['a text', isText], endpoint: ['a text', isText] },
  renamed: { type: 'name', url: 'endpoint' },
};
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys({ ...OF_FILE.fields, ...OF_FILE.renamed }),
  ...['registrations', 'updatedAt'],
]);

/** Reads and checks the registration file of an agent. Earlier names of fields are accepted. */
export function checkRegistration(
  sent: PlainObject,
  target: AgentTarget,
): { registration: Registration; findings: Finding[] } {
  const findings: Finding[] = [];
  const find = (code: 'REG-030' | 'REG-031' | 'REG-032', name: string, text: string, value: unknown): void => {
    findings.push(
      finding(code, `registration.${name}`, text, { evidence: partEvidence(`registration ${name}`, value) }),
    );
  };
  const read = (object: PlainObject, { fields, renamed }: Rules, place: string = ''): PlainObject => {
    const read = { ...object };
    for (const [earlier, name] of Object.entries(renamed)) {
      if (field(object, earlier) === undefined || (field(object, name) ?? null) !== null) continue;
      find('REG-031', place + earlier, `Now called \`${name}\``, object[earlier]);
      read[name] = object[earlier];
    }
    for (const [name, [expected, isRight]] of Object.entries(fields))
      if (!isRight(field(read, name)))
        find('REG-030', place + name, `Must be ${expected}`, field(read, name) ?? object);
    return read;
  };

  const file = read(sent, OF_FILE);
  const trust = texts(field(file, 'supportedTrust'));
  const unknownTrust = trust.filter((name) => !TRUST.has(name));
  if (unknownTrust.length > 0) find('REG-032', 'supportedTrust', `Unknown: ${nameList(unknownTrust)}`, trust);
  const unknown = Object.keys(sent).filter((name) => !KNOWN_FIELDS.has(name));
  if (unknown.length > 0) find('REG-032', 'fields', `Unknown fields: ${nameList(unknown)}`, unknown);

  const list: unknown[] = Array.isArray(file.services) ? file.services.slice(0, MAX_SERVICES) : [];
  const services = list.flatMap((item, index) => {
    const place = `services[${index}]`;
    if (isPlainObject(item)) return [{ place, service: read(item, OF_SERVICE, `${place}.`) }];
    find('REG-030', place, 'Must be an object', item);
    return [];
  });
  const all = services.flatMap(({ place, service }): AgentService[] => {
    const { name, endpoint } = service;
    if (typeof name !== 'string' || typeof endpoint !== 'string') return [];
    const protocol = name.toLowerCase();
    if (OF_URLS.has(protocol) && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
      find('REG-030', `${place}.endpoint`, `Must be an https: or http: URL for \`${name}\``, service);
    if (!KNOWN_SERVICES.has(protocol)) find('REG-032', `${place}.name`, `Unknown protocol: \`${name}\``, service);
    return [{ name, endpoint, version: textOrNull(service.version) }];
  });

  const named = readRegistrations(field(file, 'registrations'), 'registration.registrations');
  findings.push(...named.findings);
  const isSpecCompliant = findings.every(({ code }) => code === 'REG-032');
  if (!named.registrations.some((one) => isSameAgent(one, target))) {
    const isNone = named.registrations.length === 0;
    const text = isNone ? 'Does not name this agent' : 'Names other agents, not this one';
    const evidence = partEvidence('registration registrations', field(file, 'registrations'));
    const severity = isNone ? 'INFO' : 'WARNING';
    findings.push(finding('REG-033', 'registration.registrations', text, { evidence, severity }));
  }
  const endpointOf = (protocol: string): string | null =>
    all.find(({ name }) => name.toLowerCase() === protocol)?.endpoint ?? null;
  const oasf = services.find(({ service }) => textOrNull(service.name)?.toLowerCase() === 'oasf')?.service;
  const isActive = field(file, 'active');
  const registration: Registration = {
    facts: {
      name: textOrNull(field(file, 'name')),
      description: textOrNull(field(file, 'description')),
      image: textOrNull(field(file, 'image')),
      supportedTrust: trust,
      endpoints: {
        mcp: endpointOf('mcp'),
        a2a: endpointOf('a2a'),
        web: endpointOf('web'),
        oasf: endpointOf('oasf'),
        ens: endpointOf('ens'),
        did: endpointOf('did'),
        email: endpointOf('email'),
        all,
      },
    },
    oasf:
      oasf === undefined
        ? null
        : {
            version: textOrNull(oasf.version),
            skills: texts(oasf.skills),
            domains: texts(oasf.domains),
          },
    isX402: field(file, 'x402Support') === true,
    isActive: typeof isActive === 'boolean' ? isActive : null,
    isSpecCompliant,
  };
  return { registration, findings };
}
