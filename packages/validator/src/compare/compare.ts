import { asMessage, type Finding, isClean } from '../findings/finding.ts';
import { field, type PlainObject } from '../findings/plain-object.ts';
import { checkSnapshots, type SnapshotKind } from './check-snapshots.ts';
import { isEmpty, type Section } from './diff-items.ts';
import { compareSection, type SectionName, sectionNames } from './sections.ts';
import { type RugPull, summaryOf } from './summary.ts';

export interface CompareResult {
  /** Whether both snapshots could be read. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Ignores latency, which always differs. */
  hasChanges: boolean;
  /** Added, removed and modified items per section, in a stable order. */
  diff: Record<SectionName, Section>;
  /** Tools whose description, input schema, title or annotations changed. */
  rugPulls: RugPull[];
  /** Items that one of the runs did not see completely, such as tools of an unreachable server. They do not count as changes. */
  unknown: Partial<Record<SectionName, string[]>>;
  /** The changes as text, most important first. */
  summary: string[];
}

/**
 * Compares two results of `start`, or their JSON. Never throws; problems of the input are `findings`.
 *
 * @example
 * const { hasChanges, summary } = compare({ before, after });
 */
export function compare(options: { before: object; after: object }): CompareResult {
  const { findings, before = {}, after = {} } = checkSnapshots(options, ofStart);
  const { diff, unknown } = diffOf(before, after);
  const pulls = rugPulls(diff.tools);
  return {
    status: isClean(findings),
    messages: findings.map(asMessage),
    findings,
    hasChanges: sectionNames.some((name) => name !== 'latency' && !isEmpty(diff[name])),
    diff,
    rugPulls: pulls,
    unknown,
    summary: isClean(findings)
      ? summaryOf({ diff, unknown, pulls, instructions: field(after.entries, 'instructions') })
      : [],
  };
}

function diffOf(before: PlainObject, after: PlainObject): Pick<CompareResult, 'diff' | 'unknown'> {
  const compared = sectionNames.map((name) => [name, compareSection(name, before, after)] as const);
  const diff = Object.fromEntries(compared.map(([name, { section }]) => [name, section]));
  const unknown = compared.filter(([, result]) => result.unknown.length > 0);
  return {
    diff: diff as Record<SectionName, Section>,
    unknown: Object.fromEntries(unknown.map(([name, result]) => [name, result.unknown])),
  };
}

/** Fields that reach the model or decide what the user must confirm. */
const WATCHED = ['description', 'inputSchema', 'annotations', 'title'];

/** Tools that changed after users may have approved them. */
function rugPulls({ modified }: Section): RugPull[] {
  return modified.flatMap(({ name, changes }) => {
    const watched = changes.filter(({ field }) =>
      WATCHED.some((name) => field === name || field.startsWith(`${name}.`)),
    );
    return watched.length > 0 ? [{ name, fields: watched.map(({ field }) => field) }] : [];
  });
}

const ofStart: SnapshotKind = {
  codes: { before: ['VAL-010', 'VAL-011', 'VAL-012'], after: ['VAL-013', 'VAL-014', 'VAL-015'] },
  origin: 'start',
  parts: ['categories', 'entries'],
  other: ['layers', 'compareAssessments'],
};
