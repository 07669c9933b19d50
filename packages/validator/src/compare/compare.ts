import type { Code } from '../findings/codes.ts';
import { asMessage, type Finding, finding, isClean } from '../findings/finding.ts';
import { field, isDeeperThan, isPlainObject, type PlainObject, textOrNull } from '../findings/plain-object.ts';
import { compareSection, isEmpty, type Section, type SectionName, sectionNames } from './sections.ts';
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

const CODES: Readonly<Record<'before' | 'after', readonly [Code, Code, Code]>> = {
  before: ['VAL-010', 'VAL-011', 'VAL-012'],
  after: ['VAL-013', 'VAL-014', 'VAL-015'],
};

/** Checks the input of `compare`. Returns both snapshots if they are valid. */
function checkSnapshots(input: unknown): { findings: Finding[]; before?: PlainObject; after?: PlainObject } {
  const before = plainJson(read(input, 'before'));
  const after = plainJson(read(input, 'after'));
  const findings = [...snapshotFindings('before', before), ...snapshotFindings('after', after)];
  if (findings.length > 0 || !isPlainObject(before) || !isPlainObject(after)) return { findings };
  return { findings: pairFindings(before, after), before, after };
}

/** Replaces a value that is not JSON. */
const NO_JSON = Symbol('no JSON');

/** Results of `start` are never nested deeper; recursion over snapshots needs a limit. */
const MAX_DEPTH = 200;

/** Normalizes a snapshot to JSON: no cycles, no special numbers. */
function plainJson(snapshot: unknown): unknown {
  if (typeof snapshot !== 'object' || snapshot === null) return snapshot;
  try {
    const plain: unknown = JSON.parse(JSON.stringify(snapshot));
    return isDeeperThan(plain, MAX_DEPTH) ? NO_JSON : plain;
  } catch {
    return NO_JSON;
  }
}

function read(input: unknown, name: string): unknown {
  try {
    return field(input, name);
  } catch {
    return NO_JSON;
  }
}

function snapshotFindings(name: 'before' | 'after', snapshot: unknown): Finding[] {
  const [missing, noObject, incomplete] = CODES[name];
  const location = `compare.${name}`;
  if (snapshot === undefined) return [finding(missing, location, 'Missing')];
  if (snapshot === NO_JSON) return [finding(noObject, location, 'Must be plain JSON, as `start` returned it')];
  if (!isPlainObject(snapshot)) return [finding(noObject, location, 'Must be an object')];
  const missingParts = ['categories', 'entries'].filter((part) => !isPlainObject(field(snapshot, part)));
  return missingParts.length === 0 ? [] : [finding(incomplete, location, `Lacks ${missingParts.join(' and ')}`)];
}

function pairFindings(before: PlainObject, after: PlainObject): Finding[] {
  const read = (snapshot: PlainObject, name: string): string | null => textOrNull(field(snapshot.entries, name));
  const findings: Finding[] = [];
  const [oldEndpoint, newEndpoint] = [read(before, 'endpoint') ?? 'none', read(after, 'endpoint') ?? 'none'];
  if (oldEndpoint !== newEndpoint)
    findings.push(finding('CMP-001', 'compare.endpoint', `Different endpoints: ${oldEndpoint} and ${newEndpoint}`));
  const [oldTime, newTime] = [Date.parse(read(before, 'timestamp') ?? ''), Date.parse(read(after, 'timestamp') ?? '')];
  if (Number.isNaN(oldTime)) findings.push(finding('CMP-002', 'compare.before', 'No timestamp'));
  if (Number.isNaN(newTime)) findings.push(finding('CMP-002', 'compare.after', 'No timestamp'));
  if (newTime < oldTime) findings.push(finding('CMP-003', 'compare.timestamp', '`after` was taken before `before`'));
  return findings;
}
