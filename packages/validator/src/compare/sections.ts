import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { type FieldChange, valueChanges } from './value-changes.ts';
import { isAbsenceSeen, isValueSeen } from './what-was-seen.ts';

/** What is there in both snapshots, but not the same. */
export interface Modified {
  name: string;
  changes: FieldChange[];
}

/** What changed in one section; names in order of their characters. */
export interface Section {
  added: string[];
  removed: string[];
  modified: Modified[];
}

/** The sections of a diff. */
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

/** How each section is read from a snapshot, as named items. */
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

/** The names of all sections. */
export const sectionNames: readonly SectionName[] = Object.keys(readers) as SectionName[];

/** Compares one section of two snapshots. What is null counts as not there; `unknown` names what one of the two did not look at well enough. */
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
    // A name that comes again must not hide the first that bears it.
    if (typeof name === 'string') items.set(freeName(name, items), item);
  }
  return items;
}

function freeName(name: string, taken: Items): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} (${count})`;
  return free;
}
