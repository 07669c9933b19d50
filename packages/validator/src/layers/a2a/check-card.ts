import type { Code } from '../../findings/codes.ts';
import { type Evidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, textOrNull } from '../../findings/plain-object.ts';
import { nameList } from '../../findings/plain-text.ts';
import { isHttpsOrLoopback } from '../../network/loopback.ts';
import { bindingOf, type NormalCard } from './normal-card.ts';
import type { PaymentExtensions } from './payment-extensions.ts';

type Rule = readonly [code: Code, name: string, expected: string, isRight: (value: unknown, of: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

const OF_CARDS: readonly Rule[] = [
  ['CSV-020', 'name', 'a string', isText],
  ['CSV-021', 'description', 'a string', isText],
  ['CSV-022', 'version', 'a string', isText],
  ['CSV-023', 'supportedInterfaces', 'an array of interfaces', isPresent],
  [
    'CSV-024',
    'supportedInterfaces',
    'an array with at least one interface',
    (list) => !isPresent(list) || isFilled(list),
  ],
  ['CSV-025', 'capabilities', 'an object', isPlainObject],
  ['CSV-026', 'defaultInputModes', 'an array of media types', isTextList],
  ['CSV-027', 'defaultOutputModes', 'an array of media types', isTextList],
  ['CSV-028', 'skills', 'an array', Array.isArray],
];
const OF_PROVIDERS: readonly Rule[] = [
  ['CSV-040', 'url', 'a URL', isText],
  ['CSV-041', 'organization', 'a string', isText],
];
const OF_SKILLS: readonly Rule[] = [
  ['CSV-034', 'id', 'a string', isText],
  ['CSV-035', 'name', 'a string', isText],
  ['CSV-036', 'description', 'a string', isText],
  ['CSV-037', 'tags', 'an array of strings', isTextList],
  ['CSV-038', 'tags', 'at least one tag', (tags) => !Array.isArray(tags) || isFilled(tags)],
];

/** A name or an address with a port, as gRPC has it. */
const GRPC = /^(?:grpcs?:\/\/|dns:\/{0,3})?(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}\/?$/i;

function isInterfaceUrl(url: unknown, entry: unknown): boolean {
  // A missing URL is another fault.
  if (!isText(url) || isHttpsOrLoopback(url)) return true;
  return bindingOf(field(entry, 'protocolBinding')) === 'GRPC' && GRPC.test(String(url));
}

const OF_INTERFACES: readonly Rule[] = [
  ['CSV-030', 'url', 'a URL', isText],
  ['CSV-031', 'url', 'an https: URL', isInterfaceUrl],
  ['CSV-032', 'protocolBinding', 'a string (in A2A 0.3, `transport`)', isText],
  ['CSV-033', 'protocolVersion', 'a string', isText],
];

type Fault = readonly [code: Code, location: string, text: string];

interface Thing {
  value: unknown;
  /** Its name, if there are several. */
  place?: string;
}

/** Checks things of one kind. A fault that many share is one. */
function faultsOf(things: readonly Thing[], rules: readonly Rule[], location: string = ''): Fault[] {
  return rules.flatMap(([code, name, expected, isRight]) => {
    const wrong = things.filter(({ value }) => !isRight(field(value, name), value));
    if (wrong.length === 0) return [];
    const isMissing = !wrong.some(({ value }) => isPresent(field(value, name)));
    const places = nameList(wrong.flatMap(({ place }) => place ?? []));
    const text = `${isMissing ? 'Missing:' : 'Must be'} ${expected}`;
    return [[code, location + name, places === '' ? text : `${text} in ${places}`]];
  });
}

/** Checks a card. */
export function checkCard(
  { dialect, fields, interfaces }: NormalCard,
  { ap2 }: PaymentExtensions,
  evidence: Evidence,
): { findings: Finding[]; hasValidStructure: boolean } {
  const { skills, provider, supportedInterfaces = interfaces } = fields;
  const places = (interfaces ?? []).map((value) => ({ value, place: value.place }));
  const structure = [
    ...faultsOf([{ value: { ...fields, supportedInterfaces } }], OF_CARDS),
    ...faultsOf(places, OF_INTERFACES, 'supportedInterfaces.'),
    ...faultsOf(Array.isArray(skills) ? skills.map(skillThing) : [], OF_SKILLS, 'skills.'),
    ...faultsOf(isPresent(provider) ? [{ value: provider }] : [], OF_PROVIDERS, 'provider.'),
  ];
  const faults = [...structure];
  if (dialect === 'snake_case')
    faults.push(['CSV-029', 'form', 'Fields are in snake_case; those of A2A are in camelCase']);
  if (dialect === '0.3') faults.push(['CSV-042', 'form', 'The card has the form of A2A 0.3 and was checked as such']);
  if (ap2?.isDeclared && ap2.roles.length === 0)
    faults.push(['CSV-045', 'capabilities.extensions', 'AP2 is declared without a known role in `params.roles`']);
  const findings = faults.map(([code, location, text]) => {
    const part = fields[location.replace(/\..*/, '')];
    const shown = part === undefined ? evidence : partEvidence(evidence.request, part);
    return finding(code, `card.${location}`, text, { evidence: shown });
  });
  return { findings, hasValidStructure: structure.length === 0 };
}

function skillThing(value: unknown, index: number): Thing {
  return { value, place: `skills[${index}] ${textOrNull(field(value, 'id')) ?? ''}`.trim() };
}
