import type { Code } from '../../findings/codes.ts';
import { type Evidence, partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../../findings/plain-object.ts';
import { nameList } from '../../findings/plain-text.ts';
import { isHttpsOrLoopback } from '../../network/loopback.ts';
import type { DeclaredInterface, NormalCard } from './normal-card.ts';
import type { PaymentExtensions } from './payment-extensions.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.trim() !== '';
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);
const isPresent: Check = (value) => value !== undefined && value !== null;

/** The fields that every card must have. */
const REQUIRED: readonly (readonly [code: Code, name: string, isRight: Check, expected: string])[] = [
  ['CSV-020', 'name', isText, 'a string'],
  ['CSV-021', 'description', isText, 'a string'],
  ['CSV-022', 'version', isText, 'a string'],
  ['CSV-025', 'capabilities', isPlainObject, 'an object'],
  ['CSV-026', 'defaultInputModes', isTextList, 'an array of media types'],
  ['CSV-027', 'defaultOutputModes', isTextList, 'an array of media types'],
  ['CSV-028', 'skills', Array.isArray, 'an array'],
];

type Fault = readonly [code: Code, location: string, text: string];

/** Checks a card. A fault that many items share is one finding. */
export function checkCard(
  card: NormalCard,
  payments: PaymentExtensions,
  evidence: Evidence,
): { findings: Finding[]; hasValidStructure: boolean } {
  const structure = [
    ...missingFields(card.fields),
    ...interfaceFaults(card),
    ...skillFaults(card.fields.skills),
    ...providerFaults(card.fields.provider),
  ];
  const findings = [...structure, ...formFaults(card, payments)].map(([code, location, text]) => {
    const part = card.fields[location.replace(/\..*/, '')];
    const shown = part === undefined ? evidence : partEvidence(evidence.request, part);
    return finding(code, `card.${location}`, text, { evidence: shown });
  });
  return { findings, hasValidStructure: structure.length === 0 };
}

function missingFields(fields: PlainObject): Fault[] {
  return REQUIRED.flatMap(([code, name, isRight, expected]) => {
    const value = field(fields, name);
    if (isRight(value)) return [];
    return [[code, name, isPresent(value) ? `Must be ${expected}` : `Missing: ${expected}`]];
  });
}

function interfaceFaults({ interfaces, fields }: NormalCard): Fault[] {
  const place = 'supportedInterfaces';
  if (interfaces === undefined && !isPresent(fields[place])) return [['CSV-023', place, 'Missing: an array']];
  if (interfaces === undefined || interfaces.length === 0)
    return [['CSV-024', place, 'Must be an array with at least one interface']];
  const unless = (code: Code, name: string, text: string, isRight: (entry: DeclaredInterface) => boolean): Fault[] => {
    const wrong = interfaces.filter((entry) => !isRight(entry)).map((entry) => entry.place);
    return wrong.length === 0 ? [] : [[code, `${place}.${name}`, `${text}: ${nameList(wrong)}`]];
  };
  return [
    ...unless('CSV-030', 'url', '`url` is missing', ({ url }) => isText(url)),
    ...unless('CSV-031', 'url', '`url` is not an https: URL', (entry) => !isText(entry.url) || isInterfaceUrl(entry)),
    ...unless('CSV-032', 'protocolBinding', 'The binding is missing (in A2A 0.3 it is `transport`)', (entry) =>
      isText(entry.protocolBinding),
    ),
    ...unless('CSV-033', 'protocolVersion', '`protocolVersion` is missing', (entry) => isText(entry.protocolVersion)),
  ];
}

/** A name or an address with a port, as gRPC has it. */
const GRPC = /^(?:grpcs?:\/\/|dns:\/{0,3})?(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}\/?$/i;

function isInterfaceUrl({ url, protocolBinding }: DeclaredInterface): boolean {
  return isHttpsOrLoopback(url) || (isGrpc(protocolBinding) && GRPC.test(String(url)));
}

export function isGrpc(binding: unknown): boolean {
  return typeof binding === 'string' && /^grpc$/i.test(binding.trim());
}

function skillFaults(skills: unknown): Fault[] {
  if (!Array.isArray(skills)) return [];
  const unless = (code: Code, name: string, text: string, isRight: Check): Fault[] => {
    const wrong = skills.flatMap((skill, index) => (isRight(field(skill, name)) ? [] : [skillName(skill, index)]));
    return wrong.length === 0 ? [] : [[code, `skills.${name}`, `${text}: ${nameList(wrong)}`]];
  };
  return [
    ...unless('CSV-034', 'id', '`id` is missing', isText),
    ...unless('CSV-035', 'name', '`name` is missing', isText),
    ...unless('CSV-036', 'description', '`description` is missing', isText),
    ...unless('CSV-037', 'tags', '`tags` is not an array of strings', isTextList),
    ...unless('CSV-038', 'tags', '`tags` is empty', (tags) => !Array.isArray(tags) || tags.length > 0),
  ];
}

function skillName(skill: unknown, index: number): string {
  const id = field(skill, 'id');
  return typeof id === 'string' && isText(id) ? `skills[${index}] ${id}` : `skills[${index}]`;
}

function providerFaults(provider: unknown): Fault[] {
  if (!isPresent(provider)) return [];
  const url: Fault[] = isText(field(provider, 'url')) ? [] : [['CSV-040', 'provider.url', 'Missing: a URL']];
  const isNamed = isText(field(provider, 'organization'));
  return isNamed ? url : [...url, ['CSV-041', 'provider.organization', 'Missing: a string']];
}

/** What does not make the structure wrong. */
function formFaults({ dialect }: NormalCard, { ap2 }: PaymentExtensions): Fault[] {
  const faults: Fault[] = [];
  if (dialect === 'snake_case')
    faults.push(['CSV-029', 'form', 'Fields are in snake_case; those of A2A are in camelCase']);
  if (dialect === '0.3') faults.push(['CSV-042', 'form', 'The card has the form of A2A 0.3 and was checked as such']);
  if (ap2?.isDeclared && ap2.roles.length === 0)
    faults.push(['CSV-045', 'capabilities.extensions', 'AP2 is declared without a known role in `params.roles`']);
  return faults;
}
