import { checkSnapshots, type SnapshotKind } from '../compare/check-snapshots.ts';
import { diffItems, fieldsOf, freeName, type Items, isEmpty, type Section, type Sight } from '../compare/diff-items.ts';
import { asMessage, type Finding, isClean } from '../findings/finding.ts';
import { field, isPlainObject, listOf, type PlainObject, textOrNull } from '../findings/plain-object.ts';
import { type LayerName, layerNames } from '../input/layer-names.ts';

export interface AssessmentComparison {
  /** Whether both assessments could be read. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Ignores times, which always differ. */
  hasChanges: boolean;
  /** Changes by layer. Items are named by their path: `categories/hasTools`, `tools/forecast`, `findings/PAY-063:…`. Of a layer that only one of the assessments detected, just `state`. */
  diff: Record<LayerName, Section>;
  /** Items that differ, but that one of the assessments did not see completely; `state` for a layer that it did not evaluate. They do not count as changes. */
  unknown: Partial<Record<LayerName, string[]>>;
}

const ofAssess: SnapshotKind = {
  codes: { before: ['ASM-020', 'ASM-021', 'ASM-022'], after: ['ASM-023', 'ASM-024', 'ASM-025'] },
  origin: 'assess',
  parts: ['categories', 'entries', 'layers'],
};

/**
 * Compares two results of `assess`, or their JSON. Never throws; problems of the input are `findings`.
 *
 * @example
 * const { hasChanges, diff } = compareAssessments({ before, after });
 */
export function compareAssessments(options: { before: object; after: object }): AssessmentComparison {
  const { findings, before, after } = checkSnapshots(options, ofAssess);
  const compared = layerNames.map((name) => {
    const [old, now] = [before, after].map((assessment) => field(assessment?.layers, name));
    return [name, layerDiff(old, now)] as const;
  });
  const unseen = compared.filter(([, { unknown }]) => unknown.length > 0);
  return {
    status: isClean(findings),
    messages: findings.map(asMessage),
    findings,
    hasChanges: compared.some(([, { section }]) => !isEmpty(section)),
    diff: Object.fromEntries(compared.map(([name, { section }]) => [name, section])) as Record<LayerName, Section>,
    unknown: Object.fromEntries(unseen.map(([name, { unknown }]) => [name, unknown])),
  };
}

function layerDiff(before: unknown, after: unknown): ReturnType<typeof diffItems> {
  const isWhole = [before, after].every((layer) => field(layer, 'detected') === true);
  return diffItems(sightOf(before, isWhole), sightOf(after, isWhole));
}

/** What an assessment says of a layer; unless both detected it, only its state. */
function sightOf(layer: unknown, isWhole: boolean): Sight {
  const state = field(layer, 'state');
  if (!isPlainObject(layer) || !isWhole) {
    const isSeen = state !== undefined && state !== 'not-evaluated';
    return { items: new Map([['state', state]]), seesAbsence: () => isSeen, seesValue: () => isSeen };
  }
  const items = itemsOf(layer);
  return {
    items,
    seesAbsence: (name) => isAbsenceSeen(layer, name),
    seesValue: (name) => isValueSeen(layer, name, items),
  };
}

/** Times, which always differ, addresses, which one name may have many of, and what other entries have in a better form. */
const IGNORED =
  /^(?:timestamp|latency|timing|.*Ms|.*InDays|ipAddress|complete|isComplete|probe|restrictedCalls|paymentOptions|toolQuality)$/;

/** The name of an item in a list. */
const IDS = ['name', 'uri', 'uriTemplate', 'id', 'toolName'];

/** A layer as named items. Objects and lists of named objects are taken apart, one level deep. */
function itemsOf(layer: PlainObject): Map<string, unknown> {
  const items = new Map<string, unknown>([['state', layer.state]]);
  const add = (name: string, value: unknown): void => {
    if (value !== null) items.set(freeName(name, items), value);
  };
  for (const [name, value] of fieldsOf(layer.categories)) add(`categories/${name}`, value);
  for (const found of listOf(layer.findings))
    add(`findings/${textOrNull(field(found, 'id')) ?? 'without id'}`, field(found, 'severity'));
  for (const [name, value] of fieldsOf(layer.entries)) {
    if (IGNORED.test(name)) continue;
    const named = listOf(value).map((item) => [idOf(item), item] as const);
    if (isPlainObject(value)) for (const [key, part] of fieldsOf(value)) add(`${name}/${key}`, part);
    else if (named.length > 0 && named.every(([id]) => id !== undefined))
      for (const [id, item] of named) add(`${name}/${id}`, item);
    else if (!Array.isArray(value) || value.length > 0) add(name, value);
  }
  return items;
}

function idOf(item: unknown): string | undefined {
  return IDS.map((name) => field(item, name)).find((id) => typeof id === 'string');
}

/** Whether the layer saw enough to tell that an item is missing. Lists may say in `complete` that they are not. */
function isAbsenceSeen({ entries }: PlainObject, name: string): boolean {
  if (name.startsWith('findings/')) return true;
  const [list = ''] = name.split('/', 1);
  return field(entries, 'isComplete') !== false && field(field(entries, 'complete'), list) !== false;
}

/** A category that is false in an incomplete layer may really be true, and a value may be unknown. */
function isValueSeen({ entries }: PlainObject, name: string, items: Items): boolean {
  if (name === 'state' || name.startsWith('findings/')) return true;
  if (name.startsWith('categories/') && items.get(name) === true) return true;
  const lists = Object.values(field(entries, 'complete') ?? {});
  if (name.startsWith('categories/') && lists.includes(false)) return false;
  return field(entries, 'isComplete') !== false;
}
