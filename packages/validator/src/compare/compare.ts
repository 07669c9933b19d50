import { asMessage, type Finding, isClean } from '../findings/finding.ts';
import { field, type PlainObject } from '../findings/plain-object.ts';
import { checkSnapshots } from './check-snapshots.ts';
import { compareSection, isEmpty, type Section, type SectionName, sectionNames } from './sections.ts';
import { type RugPull, summaryOf } from './summary.ts';

/** What `compare` found out. */
export interface CompareResult {
  /** Both snapshots could be read. */
  status: boolean;
  messages: string[];
  findings: Finding[];
  /** Latency is never a change: no two measurements agree. */
  hasChanges: boolean;
  /** For each section what was added, removed and modified, in a stable order. */
  diff: Record<SectionName, Section>;
  /** Tools whose description, input schema, title or annotations changed. */
  rugPulls: RugPull[];
  /** For each section, what one of the two runs did not look at well enough, such as tools of a server that was not reached; it counts as no change. */
  unknown: Partial<Record<SectionName, string[]>>;
  /** The changes in plain words, those to look at first. */
  summary: string[];
}

/**
 * Compares two results of `start`, or what became of them in JSON. Never throws: what is wrong with the input stands in `findings`.
 *
 * @example
 * const { hasChanges, summary } = compare({ before, after });
 */
export function compare(options: { before: object; after: object }): CompareResult {
  const { findings, before = {}, after = {} } = checkSnapshots(options);
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

/** These reach the model, or decide what a person is asked before a call. */
const WATCHED = ['description', 'inputSchema', 'annotations', 'title'];

/** Tools whose promises changed after somebody may have approved them. */
function rugPulls({ modified }: Section): RugPull[] {
  return modified.flatMap(({ name, changes }) => {
    const watched = changes.filter(({ field }) =>
      WATCHED.some((name) => field === name || field.startsWith(`${name}.`)),
    );
    return watched.length > 0 ? [{ name, fields: watched.map(({ field }) => field) }] : [];
  });
}
