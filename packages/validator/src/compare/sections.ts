import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { isGateSeen } from '../snapshot/entries.ts';
import type { Part } from '../snapshot/snapshot.ts';
import { type FieldChange, valueChanges } from './value-changes.ts';

/** An item that differs between the snapshots. */
export interface Modified {
  name: string;
  changes: FieldChange[];
}

/** The changes of a section, sorted by name. */
export interface Section {
  added: string[];
  removed: string[];
  modified: Modified[];
}

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

type Items = ReadonlyMap<string, unknown>;

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
  const read = readers[name];
  const [old, now] = [present(read(before)), present(read(after))];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  const section: Section = { added: [], removed: [], modified: [] };
  const unknown: string[] = [];
  for (const item of names) {
    if (!old.has(item)) (isAbsenceSeen(before, name, item) ? section.added : unknown).push(item);
    else if (!now.has(item)) (isAbsenceSeen(after, name, item) ? section.removed : unknown).push(item);
    else {
      const changes = valueChanges(old.get(item), now.get(item));
      if (changes.length === 0) continue;
      if ([before, after].every((snapshot) => isValueSeen(snapshot, name, item)))
        section.modified.push({ name: item, changes });
      else unknown.push(item);
    }
  }
  return { section, unknown };
}

export function isEmpty({ added, removed, modified }: Section): boolean {
  return added.length + removed.length + modified.length === 0;
}

function present(items: Items): Items {
  return new Map([...items].filter(([, value]) => value !== undefined && value !== null));
}

function fieldsOf(value: unknown): Items {
  return new Map(isPlainObject(value) ? Object.entries(value) : []);
}

function itemsOf(list: unknown, id: string): Items {
  const items = new Map<string, unknown>();
  for (const item of Array.isArray(list) ? list : []) {
    const name = field(item, id);
    // A duplicate must not hide the first item of that name.
    if (typeof name === 'string') items.set(freeName(name, items), item);
  }
  return items;
}

function freeName(name: string, taken: Items): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} (${count})`;
  return free;
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
  const probed = listOf(snapshot, 'probe').find(isNamed);
  if (probed !== undefined) return isGateSeen(field(probed, 'outcome'));
  return isWhole(snapshot, 'tools') && !listOf(snapshot, 'tools').some(isNamed);
}

function listOf({ entries }: PlainObject, name: string): unknown[] {
  const list = isPlainObject(entries) ? field(entries, name) : undefined;
  return Array.isArray(list) ? list : [];
}
