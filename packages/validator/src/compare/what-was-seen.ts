import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { isGateSeen, type Part } from '../snapshot/completeness.ts';
import type { SectionName } from './sections.ts';

/** On which parts a fact rests: where it is false, and one of them was not seen whole, it may as well be true. */
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

/** False if a run did not look well enough to say that something is not there. Snapshots that say nothing of it are taken as whole. */
export function isAbsenceSeen(snapshot: PlainObject, section: SectionName, item: string): boolean {
  if (section === 'x402') return isPaymentAbsent(snapshot, item);
  if (section === 'oauth' && item === 'isRequired') return false;
  const part = PARTS[section];
  return part === undefined || isWhole(snapshot, part);
}

/** False for a value that is what it is only because the run did not look: a fact that is false, a list of a server that is gone. */
export function isValueSeen(snapshot: PlainObject, section: SectionName, name: string): boolean {
  const part = PARTS[section];
  if (part === 'server' || part === 'oauth') return isWhole(snapshot, part);
  if (section !== 'categories') return true;
  if (field(snapshot.categories, name) === true) return true;
  return (Object.hasOwn(BASES, name) ? (BASES[name] ?? []) : []).every((part) => isWhole(snapshot, part));
}

function isWhole({ entries }: PlainObject, part: Part): boolean {
  return field(field(entries, 'complete'), part) !== false;
}

/** A tool that is there asks for nothing only if it was called; one that is not there cannot ask. */
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
