import type { Code } from '../findings/codes.ts';
import { type Finding, finding } from '../findings/finding.ts';
import { field, isDeeperThan, isPlainObject, type PlainObject, textOrNull } from '../findings/plain-object.ts';

/** What is compared. */
export interface SnapshotKind {
  /** For a snapshot that is missing, no object, or incomplete. */
  codes: Readonly<Record<'before' | 'after', readonly [missing: Code, noObject: Code, incomplete: Code]>>;
  /** The function that returns it. */
  origin: string;
  /** Objects that it must have. */
  parts: readonly string[];
  /** For results of another function: an object that only they have, and what compares them. */
  other?: readonly [part: string, compare: string];
}

/** Checks the input of a comparison. Returns both snapshots, as plain JSON, if they are valid. */
export function checkSnapshots(
  input: unknown,
  kind: SnapshotKind,
): { findings: Finding[]; before?: PlainObject; after?: PlainObject } {
  const before = plainJson(read(input, 'before'));
  const after = plainJson(read(input, 'after'));
  const findings = [...snapshotFindings('before', before, kind), ...snapshotFindings('after', after, kind)];
  if (findings.length > 0 || !isPlainObject(before) || !isPlainObject(after)) return { findings };
  return { findings: pairFindings(before, after), before, after };
}

/** Replaces a value that is not JSON. */
const NO_JSON = Symbol('no JSON');

/** Results are never nested deeper; recursion over snapshots needs a limit. */
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

function snapshotFindings(
  name: 'before' | 'after',
  snapshot: unknown,
  { codes, origin, parts, other: [foreign, comparer] = ['', ''] }: SnapshotKind,
): Finding[] {
  const [missing, noObject, incomplete] = codes[name];
  const location = `compare.${name}`;
  if (snapshot === undefined) return [finding(missing, location, 'Missing')];
  if (snapshot === NO_JSON) return [finding(noObject, location, `Must be plain JSON, as \`${origin}\` returned it`)];
  if (!isPlainObject(snapshot)) return [finding(noObject, location, 'Must be an object')];
  if (isPlainObject(field(snapshot, foreign)))
    return [finding(incomplete, location, `Is no result of \`${origin}\`; compare it with \`${comparer}\``)];
  const missingParts = parts.filter((part) => !isPlainObject(field(snapshot, part)));
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
