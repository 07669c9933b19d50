import { field, listOf, type PlainObject } from '../findings/plain-object.ts';
import { isGateSeen } from '../snapshot/entries.ts';
import type { Part } from '../snapshot/snapshot.ts';
import { diffItems, fieldsOf, freeName, type Items, type Section, type Sight } from './diff-items.ts';

export type SectionName =
  | 'server'
  | 'capabilities'
  | 'tools'
  | 'resources'
  | 'resourceTemplates'
  | 'prompts'
  | 'x402'
  | 'oauth'
  | 'categories'
  | 'latency';

const SERVER_FIELDS = [
  'transport',
  'serverName',
  'serverVersion',
  'serverDescription',
  'protocolVersion',
  'supportedVersions',
  'instructions',
];

/** Reads each section of a snapshot as named items. */
const readers: Readonly<Record<SectionName, (snapshot: PlainObject) => Items>> = {
  server: ({ entries }) => new Map(SERVER_FIELDS.map((name) => [name, field(entries, name)])),
  capabilities: ({ entries }) => fieldsOf(field(entries, 'capabilities')),
  tools: ({ entries }) => itemsOf(field(entries, 'tools'), 'name'),
  resources: ({ entries }) => itemsOf(field(entries, 'resources'), 'uri'),
  resourceTemplates: ({ entries }) => itemsOf(field(entries, 'resourceTemplates'), 'uriTemplate'),
  prompts: ({ entries }) => itemsOf(field(entries, 'prompts'), 'name'),
  x402: ({ entries }) => fieldsOf(field(field(entries, 'x402'), 'perTool')),
  oauth: ({ entries }) => fieldsOf(field(entries, 'oauth')),
  categories: ({ categories }) => fieldsOf(categories),
  latency: ({ entries }) => fieldsOf(field(entries, 'latency')),
};

export const sectionNames: readonly SectionName[] = Object.keys(readers) as SectionName[];

/** Compares a section of two snapshots. Null counts as missing; `unknown` lists items that one of the runs did not see completely. */
export function compareSection(
  name: SectionName,
  before: PlainObject,
  after: PlainObject,
): { section: Section; unknown: string[] } {
  const sight = (snapshot: PlainObject): Sight => ({
    items: new Map([...readers[name](snapshot)].filter(([, value]) => value !== undefined && value !== null)),
    seesAbsence: (item) => isAbsenceSeen(snapshot, name, item),
    seesValue: (item) => isValueSeen(snapshot, name, item),
  });
  return diffItems(sight(before), sight(after));
}

function itemsOf(list: unknown, id: string): Items {
  const items = new Map<string, unknown>();
  for (const item of listOf(list)) {
    const name = field(item, id);
    if (typeof name === 'string') items.set(freeName(name, items), item);
  }
  return items;
}

/** The parts that a category depends on: if one is incomplete, a false category may really be true. */
const BASES: Readonly<Record<string, readonly Part[]>> = {
  hasTools: ['tools'],
  hasResources: ['resources'],
  hasPrompts: ['prompts'],
  supportsX402: ['x402'],
  hasValidPaymentRequirements: ['x402'],
  supportsExactScheme: ['x402'],
  supportsEvm: ['x402'],
  supportsSolana: ['x402'],
  supportsTasks: ['server'],
  supportsMcpApps: ['server', 'tools', 'resources'],
};

const PARTS: Readonly<Partial<Record<SectionName, Part>>> = {
  server: 'server',
  capabilities: 'server',
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resourceTemplates',
  prompts: 'prompts',
  oauth: 'oauth',
};

/** Whether a run saw enough to tell that an item is missing. Snapshots without that information count as complete. */
function isAbsenceSeen(snapshot: PlainObject, section: SectionName, item: string): boolean {
  if (section === 'x402') return isPaymentAbsent(snapshot, item);
  if (section === 'oauth' && item === 'isRequired') return false;
  const part = PARTS[section];
  return part === undefined || isWhole(snapshot, part);
}

/** Whether a value was really observed, and is not just a default of an incomplete run. */
function isValueSeen(snapshot: PlainObject, section: SectionName, name: string): boolean {
  const part = PARTS[section];
  if (part === 'server' || part === 'oauth') return isWhole(snapshot, part);
  if (section !== 'categories') return true;
  if (field(snapshot.categories, name) === true) return true;
  return (Object.hasOwn(BASES, name) ? (BASES[name] ?? []) : []).every((part) => isWhole(snapshot, part));
}

function isWhole({ entries }: PlainObject, part: Part): boolean {
  return field(field(entries, 'complete'), part) !== false;
}

/** Whether a tool is known not to require payment: it was called, or it does not exist. */
function isPaymentAbsent(snapshot: PlainObject, tool: string): boolean {
  if (isWhole(snapshot, 'x402')) return true;
  const isNamed = (item: unknown): boolean => field(item, 'name') === tool;
  const probed = listOf(field(snapshot.entries, 'probe')).find(isNamed);
  if (probed !== undefined) return isGateSeen(field(probed, 'outcome'));
  return isWhole(snapshot, 'tools') && !listOf(field(snapshot.entries, 'tools')).some(isNamed);
}
